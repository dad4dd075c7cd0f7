#include "server/data/formats/csv_records.h"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/server/data/formats/text_source.h"

namespace stator::data {
namespace {

ReadOptions reading_of(std::vector<std::string> keys) {
  ReadOptions options;
  options.keys = std::move(keys);
  return options;
}

TEST_CASE("csv: the first line says what stands between cells", "[server]") {
  const ReadOptions by_key = reading_of({"pk", "sk"});
  CHECK(read_all("pk,sk,v\na,b,c;d\n", by_key) == "CSV: pk=a sk=b v=c;d");
  CHECK(read_all("v;pk;sk\nc,d;a;b\n", by_key) == "CSV with semicolons: v=c,d pk=a sk=b");
  CHECK(read_all("pk\tsk\tv\r\na\tb\tc;d,e\r\n", by_key) == "CSV with tabs: pk=a sk=b v=c;d,e");
  CHECK(read_all("\"pk\";sk:S;\"a,b\"\na;b;\"c;d\"\n", by_key) ==
        "CSV with semicolons: pk=a sk=b a,b=c;d");
  CHECK(read_all("\xEF\xBB\xBFpk;sk\na;b", by_key) == "CSV with semicolons: pk=a sk=b");
  // Names may contain what stands between the cells of other files.
  CHECK(read_all("pk,sk,x;y;z;t\na,b,c\n", by_key) == "CSV: pk=a sk=b x;y;z;t=c");
  CHECK(read_all("pk\na;b\n", reading_of({"pk"})) == "CSV: pk=a;b");
}

TEST_CASE("csv: without keys what a header has most is between cells", "[server]") {
  CHECK(read_all("a;b;c,d\n1;2;3\n", {}) == "CSV with semicolons: a=1 b=2 c,d=3");
  CHECK(read_all("a\n1;2\n", {}) == "CSV: a=1;2");
}

TEST_CASE("csv: the first row has as many cells as --header has names", "[server]") {
  ReadOptions options = reading_of({"pk"});
  options.header = {"pk", "v"};
  CHECK(read_all("a;b,c,d\n", options) == "CSV with semicolons: pk=a v=b,c,d");
  CHECK(read_all("a,b\n", options) == "CSV: pk=a v=b");
}

TEST_CASE("csv: a chosen delimiter is not guessed again", "[server]") {
  ReadOptions options;
  options.delimiter = ',';
  CHECK(read_all("a;b;c,d\n1,2\n", options) == "CSV: a;b;c=1 d=2");
}

TEST_CASE("csv: a header without the key is read with commas", "[server]") {
  CHECK(read_all("a;b\n1;2\n", reading_of({"pk"})).find("so it is no CSV with a header") !=
        std::string::npos);
}

TEST_CASE("csv: a long header is seen whole", "[server]") {
  std::string head = "first";
  std::string row = "1";
  for (int i = 0; i < 9'000; ++i) {
    head += ";" + std::to_string(i) + std::string(50, 'x');
    row += ";";
  }
  CHECK(read_all(head + ";pk\n" + row + ";a\n", reading_of({"pk"})) ==
        "CSV with semicolons: first=1 pk=a");
}

}  // namespace
}  // namespace stator::data

// Runs tests/cases/engine, and shows that the runner notices what it must.
#include "tests/unit/engine/harness/engine_cases.h"

#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

namespace stator::test {
namespace {

std::string problem(const std::string& text) {
  try {
    const CaseReport report = run_engine_cases(read_cases("x.cases", "== title\n" + text));
    return report.failures.empty() ? "" : report.failures.front();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST_CASE("engine: cases", "[engine]") { run_case_folder("engine", run_engine_cases); }

TEST_CASE("engine case files: what differs is shown with its place", "[engine]") {
  const std::string list = "ListTables {}\n";
  const std::string place = "x.cases:2: title\n  input:    ListTables {}\n";
  CHECK(problem(list + "  -> {TableNames: []}\n").empty());
  CHECK(problem(list + "  -> {TableNames: [a]}\n") ==
        place + "  expected: {\"TableNames\":[\"a\"]}\n  actual:   {\"TableNames\":[]}");
  CHECK(problem(list + "  -> .TableNames = []\n").empty());
  CHECK(problem(list + "  -> .Names = nothing\n").empty());
  for (const char* wrong :
       {"ValidationException: x", ".TableNames = nothing", ".TableNames = [a]", ".TableNames ~ a",
        "milliunits = 1", "items pk: a", "states ACTIVE", "text x", "nothing"}) {
    CAPTURE(wrong);
    CHECK(problem(list + "  -> " + wrong + "\n").starts_with(place));
  }
  CHECK(problem("DescribeTable {TableName: abc}\n").find("expected: ok\n") != std::string::npos);
  CHECK(problem("times 2 DescribeTable {TableName: abc}\n").find("expected: ok\n") !=
        std::string::npos);
  CHECK(problem("maintain -> due\n").find("actual:   idle") != std::string::npos);
}

TEST_CASE("engine case files: nothing is skipped in silence", "[engine]") {
  CHECK(problem("ListTables {} -> fine\n") == "x.cases:2: no such expectation: fine");
  CHECK(problem("@setings x\nwarnings\n") == "x.cases:2: no such directive: @setings");
  CHECK(problem("@settings lag=1s\nwarnings\n") == "x.cases:2: no such setting: lag=1s");
  CHECK(problem("@settings gsi_delay=1\nwarnings\n") == "x.cases:2: no such setting: gsi_delay=1");
  CHECK(problem("advance 1\n") == "x.cases:2: no duration: 1");
  CHECK(problem("NoOperation {}\n") == "x.cases:2: no such operation");
  CHECK(problem("table a\n") == "x.cases:2: no table: a");
  CHECK(problem("table abc (a), other x (b) ALL\n") ==
        "x.cases:2: no index, no members: , other x (b) ALL");
  CHECK(problem("advance 1s\n") == "x.cases:2: a title that compares nothing");
  CHECK(problem("== next\nwarnings\n") == "x.cases:4: a title without a case");
}

}  // namespace
}  // namespace stator::test

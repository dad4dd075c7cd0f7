// The lists of operations in README.md and docs/differences.md against the program's table. They
// are written by tests/checks/operation_lists.py, which reads the rows from the source.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "protocol/model/shapes.h"
#include "streams/operations.h"
#include "tests/cases/source_folder.h"

using namespace stator;

namespace {

// What lies between <!-- block --> and <!-- /block --> of a page, in words.
std::multiset<std::string> words_of_block(const std::string& page, const std::string& block) {
  std::ifstream file(test::source_path(page));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string opening = "<!-- " + block + " -->";
  const std::size_t begin = text.find(opening);
  const std::size_t end = text.find("<!-- /" + block + " -->");
  INFO(page << ": " << block);
  REQUIRE(begin != std::string::npos);
  REQUIRE(begin < end);
  std::multiset<std::string> words;
  std::string word;
  for (std::size_t i = begin + opening.size(); i <= end; ++i) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(text[i])) != 0;
    if (is_letter) word.push_back(text[i]);
    if (!is_letter && !word.empty()) words.insert(std::exchange(word, {}));
  }
  return words;
}

std::set<std::string> built_operations() {
  std::set<std::string> names;
  for (const OperationFamily& family : all_families()) {
    for (const Operation& row : family.rows) names.emplace(row.name);
  }
  return names;
}

}  // namespace

TEST_CASE("operation lists: README names the operations of the table, each once", "[streams]") {
  const std::set<std::string> built = built_operations();
  CHECK(words_of_block("README.md", "built") ==
        std::multiset<std::string>(built.begin(), built.end()));
}

TEST_CASE("operation lists: differences.md names the others of the model", "[streams]") {
  const std::set<std::string> built = built_operations();
  const std::multiset<std::string> words = words_of_block("docs/differences.md", "not built");
  for (const model::Request& request : model::kRequests) {
    const std::string name(request.operation);
    INFO(name);
    CHECK(words.count(name) == (built.count(name) == 0 ? 1 : 0));
  }
}

TEST_CASE("operation lists: each row is an operation of the model", "[streams]") {
  for (const OperationFamily& family : all_families()) {
    for (const Operation& row : family.rows) {
      const std::string target = std::string(family.target_prefix).append(row.name);
      INFO(target);
      CHECK(std::any_of(
          model::kRequests.begin(), model::kRequests.end(), [&](const model::Request& request) {
            return std::string(request.target_prefix).append(".").append(request.operation) ==
                   target;
          }));
    }
  }
}

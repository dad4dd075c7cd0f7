// Walking through the pages of Query and Scan as a client does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::test {

// The elements of a JSON array, as text.
inline std::vector<std::string> elements_of(std::string_view array) {
  std::vector<std::string> elements;
  if (array.size() <= 2) return elements;
  array = array.substr(1, array.size() - 2);
  int depth = 0;
  bool in_string = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const char c = array[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      elements.emplace_back(array.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  elements.emplace_back(array.substr(begin));
  return elements;
}

inline std::vector<std::string> items_of(const Answer& answer) {
  INFO(answer.json);
  REQUIRE(answer.ok);
  auto items = elements_of(answer.member("Items"));
  CHECK(answer.member("Count") == std::to_string(items.size()));
  return items;
}

struct Pages {
  std::vector<std::string> items;  // of all pages
  std::size_t count = 0;
};

// `body` is a request's JSON without its closing brace. Checks that only the last page has no
// LastEvaluatedKey, and that a page of `limit` evaluated items always has one.
inline Pages read_pages(EngineHarness& engine, std::string_view operation, const std::string& body,
                        std::size_t limit = 0) {
  Pages pages;
  std::string start;
  for (;;) {
    std::string request = body;
    if (limit != 0) request += R"(,"Limit":)" + std::to_string(limit);
    if (!start.empty()) request += R"(,"ExclusiveStartKey":)" + start;
    const Answer answer = engine.call(operation, request + "}");
    ++pages.count;
    for (std::string& item : items_of(answer)) pages.items.push_back(std::move(item));
    start = answer.member("LastEvaluatedKey");
    if (limit != 0) {
      CHECK(start.empty() == (answer.member("ScannedCount") != std::to_string(limit)));
    }
    if (start.empty()) return pages;
    REQUIRE(pages.count < 100'000);
  }
}

}  // namespace stator::test

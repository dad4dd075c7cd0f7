// Compares the condition keys of requests with text: for the tests of this folder.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/families.h"
#include "tests/unit/engine/operations/touched_accesses.h"

namespace stator::test {

// Tables for requests: Songs has a string key, Plays a number, Blobs bytes.
inline void make_tables(EngineHarness& harness) {
  for (const std::string_view table :
       {"Songs (pk, sk), local by_year (year:N) ALL, global by_band (band) ALL, "
        "global by_many (band+city, sk) KEYS_ONLY",
        "Plays (n:N), global by_count (count:N) ALL", "Blobs (b:B), global by_hash (hash:B) ALL"})
    REQUIRE(harness.call("CreateTable", create_table_request(table)).ok);
}

inline std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// "Select=COUNT Attributes=a,b": these keys, without the names of others. LeadingKeys has a second
// name, whose value must be the same.
inline void check_keys(const TouchedAccess& access, const std::string& expected) {
  for (const std::string& one : parts_of(expected, ' ')) {
    if (one.empty()) continue;
    const std::size_t sign = one.find('=');
    REQUIRE(sign != std::string::npos);
    const std::string name = one.substr(0, sign);
    INFO(access.action << " " << access.resource << " " << name);
    const bool is_full = name.find(':') != std::string::npos;
    CHECK(value_text(access.context, is_full ? name : "dynamodb:" + name) == one.substr(sign + 1));
    if (name == "LeadingKeys")
      CHECK(value_text(access.context, "dynamodb:FirstPartitionKeyValues") == one.substr(sign + 1));
  }
}

// Each row has the keys of each permission that the request needs, separated by ";".
inline void check_condition_keys(const std::vector<AccessRow>& rows) {
  EngineHarness harness;
  make_tables(harness);
  const OperationTable operations(engine_families());
  for (const AccessRow& row : rows) {
    INFO(row.operation << " " << row.body);
    const auto accesses = accesses_of(harness, operation_of(operations, row.operation), row.body);
    const auto expected = parts_of(row.expected, ';');
    REQUIRE(accesses.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) check_keys(accesses[i], expected[i]);
  }
}

}  // namespace stator::test

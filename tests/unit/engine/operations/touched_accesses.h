// The permissions that requests need, as text: for tests of the layers that bring operations.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/operation_table.h"
#include "engine/operations/access/access_requests.h"
#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::test {

inline constexpr std::string_view kHomeArn = "arn:aws:dynamodb:us-east-1:000000000000:";

// The permissions that the request needs in the engine's latest state.
inline std::vector<TouchedAccess> accesses_of(EngineHarness& harness, const Operation& operation,
                                              std::string body) {
  INFO(operation.name << " " << body);
  Call call;
  call.operation = &operation;
  call.caller = {"us-east-1", "key", "localhost:8000"};
  const auto root = read_json(body, call.arena);
  REQUIRE(root);
  const auto parsed = harness.engine().parse(*root, call);
  INFO((parsed ? "" : parsed.error().render()));
  REQUIRE(parsed);
  std::vector<TouchedAccess> accesses;
  Engine::Reader reader(harness.engine());
  REQUIRE(harness.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    accesses = touched_accesses(call, snapshot);
    return {};
  }));
  return accesses;
}

// A part of an ARN without what all have: "table/Songs".
inline std::string without_home(std::string_view arn) {
  return std::string(arn.starts_with(kHomeArn) ? arn.substr(kHomeArn.size()) : arn);
}

// "GetItem table/Songs", separated by "; ".
inline std::string actions_text(const std::vector<TouchedAccess>& accesses) {
  std::string text;
  for (const TouchedAccess& access : accesses) {
    REQUIRE(access.action.starts_with("dynamodb:"));
    text.append(text.empty() ? "" : "; ").append(access.action.substr(9)).append(" ");
    text.append(without_home(access.resource));
  }
  return text;
}

// The value of a condition key: "a,b" in the order of the request, "?" if it is unknowable, "-" if
// it is absent. A list without values is "".
inline std::string value_text(const access::RequestContext& context, std::string_view name) {
  const access::ContextKey* const key = context.find(name);
  if (key == nullptr) return "-";
  if (key->is_unknowable) return "?";
  std::string text;
  for (const std::string& value : key->values)
    text.append(&value == key->values.data() ? "" : ",").append(value);
  return text;
}

struct AccessRow {
  std::string_view operation;
  std::string body;
  std::string expected;
};

inline const Operation& operation_of(const OperationTable& operations, std::string_view name) {
  const Operation* found = nullptr;
  for (const Operation& one : operations.rows()) found = one.name == name ? &one : found;
  INFO(name);
  REQUIRE(found != nullptr);
  return *found;
}

// Compares the actions and resources of each row's request, and demands a row for each operation of
// `families`.
inline void check_actions(const std::vector<OperationFamily>& families,
                          const std::vector<AccessRow>& rows) {
  EngineHarness harness;
  const OperationTable operations(families);
  std::set<std::string_view> covered;
  for (const AccessRow& row : rows) {
    INFO(row.operation << " " << row.body);
    const auto accesses = accesses_of(harness, operation_of(operations, row.operation), row.body);
    CHECK_FALSE(accesses.empty());
    CHECK(actions_text(accesses) == row.expected);
    covered.insert(row.operation);
  }
  for (const Operation& one : operations.rows()) {
    INFO(one.name << " has no row");
    CHECK(covered.count(one.name) == 1);
  }
}

}  // namespace stator::test

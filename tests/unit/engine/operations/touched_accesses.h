// The permissions that requests need, as text: for tests of the layers that bring operations.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/operation_table.h"
#include "engine/operations/access/access_requests.h"
#include "protocol/access/evaluation.h"
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

// The message of the first access that a user is denied who has exactly these permissions but for
// that of `missing`; empty if all are allowed.
inline std::string first_denial(const std::vector<TouchedAccess>& accesses,
                                const TouchedAccess* missing) {
  std::string statements;
  for (const TouchedAccess& one : accesses) {
    const bool is_missing =
        missing != nullptr && one.action == missing->action && one.resource == missing->resource;
    if (is_missing) continue;
    statements.append(statements.empty() ? "" : ",").append(R"({"Effect":"Allow","Action":")");
    statements.append(one.action).append(R"(","Resource":")").append(one.resource).append("\"}");
  }
  std::vector<access::Policy> owned;
  access::Policies policies;
  if (!statements.empty()) {
    auto policy =
        access::compile_policy(R"({"Version":"2012-10-17","Statement":[)" + statements + "]}",
                               access::PolicyKind::Identity);
    REQUIRE(policy);
    owned.push_back(*std::move(policy));
    policies.identity = {&owned.front()};
  }
  access::Principal user;
  user.account = "000000000000";
  user.arn = "arn:aws:iam::000000000000:user/dev";
  for (const TouchedAccess& one : accesses) {
    const access::AccessRequest request{one.action, one.resource, user.account, one.context};
    const access::Decision decision = access::evaluate(user, policies, request);
    if (!decision.is_allowed()) return access::denial_text(user, request, decision.reason);
  }
  return {};
}

// The permissions are enough, and each of them is needed.
inline void check_exact_permissions(const std::vector<TouchedAccess>& accesses) {
  CHECK(first_denial(accesses, nullptr).empty());
  for (const TouchedAccess& one : accesses) {
    CHECK(first_denial(accesses, &one) ==
          "User: arn:aws:iam::000000000000:user/dev is not authorized to perform: " + one.action +
              " on resource: " + one.resource + " because no identity-based policy allows the " +
              one.action + " action");
  }
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
    check_exact_permissions(accesses);
    covered.insert(row.operation);
  }
  for (const Operation& one : operations.rows()) {
    INFO(one.name << " has no row");
    CHECK(covered.count(one.name) == 1);
  }
}

}  // namespace stator::test

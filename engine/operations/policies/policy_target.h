// The resource of a policy operation: a table, or its latest stream
// (conformance/observed/policies.md 1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/policy/policy_document.h"

namespace stator {

// The parts of the request's ResourceArn; views into it.
struct PolicyTarget {
  std::string_view arn;
  std::string_view table_arn;
  std::string_view table_name;
  std::string_view stream_label;  // empty for the table itself

  PolicyOwner owner() const {
    return stream_label.empty() ? PolicyOwner::Table : PolicyOwner::Stream;
  }
  // "table T" or "stream LABEL".
  std::string text() const;
};

// Checks the member ResourceArn of a body whose constraints were checked; stores the table's name
// in the call.
Result<PolicyTarget> parse_policy_target(const JsonNode& body, Call& call);

// The table of the target; with a stream, only a table whose latest stream that is. Error:
// ResourceNotFoundException.
Result<const Table*> policy_table(const PolicyTarget& target, const Snapshot& snapshot, Call& call);

// Rejects changes while the table is DELETING.
Result<void> check_not_deleting(const Table& table, Timestamp now);

// The target's policy in its table. REQUIRES: policy_table() has found the table.
std::optional<ResourcePolicy>& policy_of(Table& table, const PolicyTarget& target);
const std::optional<ResourcePolicy>& policy_of(const Table& table, const PolicyTarget& target);

// Compares ExpectedRevisionId with the present policy. Error: PolicyNotFoundException.
Result<void> check_expected_revision(std::optional<std::string_view> expected,
                                     const std::optional<ResourcePolicy>& policy,
                                     const PolicyTarget& target);

// Rejects a change of the policy soon after the one before: while that one is pending, and for some
// seconds more with a Settings::policy_lag.
Result<void> check_settled(const PolicyTarget& target, const std::optional<ResourcePolicy>& policy,
                           const Call& call, Timestamp now);

// The policy after a change at `now`, of which requests see what was before for the policy's lag.
ResourcePolicy changed_policy(const std::optional<ResourcePolicy>& before,
                              std::string_view document, const Call& call, Timestamp now);

// "Resource-based policy not found for the provided ResourceArn: " + tail.
Error policy_not_found(std::string_view tail);

// Writes the response {"RevisionId": "…"}.
void write_revision(Call& call, std::int64_t revision_ms);

}  // namespace stator

#include "engine/operations/policies/policy_target.h"

#include <algorithm>
#include <chrono>

#include "engine/call/settings.h"
#include "engine/seams/iso_time.h"
#include "engine/tables/table_state.h"
#include "protocol/json/json_writer.h"
#include "protocol/service/arn.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::string_view kStream = "/stream/";
// The service does not know a new table in these calls at first (conformance/observed/policies.md
// 4).
constexpr std::chrono::milliseconds kUnknownAfterCreation{1500};
// With a lag of changes, the next one must wait for this time after a revision.
constexpr std::chrono::milliseconds kCooldown{15'000};

// The revision of a change at this time: later than the one before.
std::int64_t next_revision(const std::optional<ResourcePolicy>& policy, Timestamp now) {
  return policy ? std::max(now.unix_ms(), policy->revision_ms + 1) : now.unix_ms();
}

}  // namespace

std::string PolicyTarget::text() const {
  return stream_label.empty() ? std::string("table ").append(table_name)
                              : std::string("stream ").append(stream_label);
}

Result<PolicyTarget> parse_policy_target(const JsonNode& body, Call& call) {
  const std::string_view arn = *string_member(body, "ResourceArn");
  const auto refused = [&](std::string_view before) {
    return invalid_parameter(std::string(before).append(arn));
  };
  if (!arn.starts_with("arn:")) return refused("ARNs must start with 'arn:': ");
  const auto parts = parse_table_arn(arn);
  if (!parts || parts->rest.starts_with("/backup/"))
    return refused("Provided Arn is not a DynamoDB resource arn: ");
  const bool is_stream = parts->rest.starts_with(kStream) && parts->rest.size() > kStream.size();
  if (!parts->rest.empty() && !is_stream) {
    return refused(
        "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ");
  }
  const bool is_of_region =
      arn.starts_with("arn:aws:") &&
      (call.settings->isolation == Isolation::None || parts->region == call.caller.region);
  if (!is_of_region) return refused("Invalid resource Arn: ");
  if (parts->account_id != call.settings->account_id) {
    return Error::validation(
        "This action is only supported by accounts that match the resource owner\u2019s account.");
  }
  call.table_name = parts->table_name;
  return PolicyTarget{.arn = arn,
                      .table_arn = arn.substr(0, arn.size() - parts->rest.size()),
                      .table_name = parts->table_name,
                      .stream_label = is_stream ? parts->rest.substr(kStream.size()) : ""};
}

Result<const Table*> policy_table(const PolicyTarget& target, const Snapshot& snapshot,
                                  Call& call) {
  STATOR_TRY(const Table* table, snapshot.control_table(call, target.table_arn));
  const bool is_unknown =
      table->restore || (table->status(snapshot.now()) == TableStatus::Creating &&
                         snapshot.now() < table->created.plus(kUnknownAfterCreation));
  if (is_unknown) return table_not_found(target.table_name);
  const bool is_found =
      target.stream_label.empty() || (table->stream && table->stream->label == target.stream_label);
  if (is_found) return table;
  return resource_not_found(std::string("Stream: ")
                                .append(target.stream_label)
                                .append(" not found for Table: ")
                                .append(target.table_name));
}

Result<void> check_not_deleting(const Table& table, Timestamp now) {
  if (table.status(now) != TableStatus::Deleting) return {};
  return check_changeable(table, now);
}

std::optional<ResourcePolicy>& policy_of(Table& table, const PolicyTarget& target) {
  return target.stream_label.empty() ? table.policy : table.stream->policy;
}

const std::optional<ResourcePolicy>& policy_of(const Table& table, const PolicyTarget& target) {
  return target.stream_label.empty() ? table.policy : table.stream->policy;
}

Result<void> check_expected_revision(std::optional<std::string_view> expected,
                                     const std::optional<ResourcePolicy>& policy,
                                     const PolicyTarget& target) {
  if (!expected) return {};
  const bool is_attached = policy && policy->is_attached();
  const std::string present = is_attached ? std::to_string(policy->revision_ms) : "NO_POLICY";
  if (*expected == present) return {};
  if (*expected == "NO_POLICY") {
    return policy_not_found("Requested policy update expecting none to be present for " +
                            target.text() + ", but a policy exists with revision id " + present +
                            ".");
  }
  const std::string request =
      std::string("Requested update for policy with revision id ").append(*expected) + ", but ";
  if (!is_attached) return policy_not_found(request + target.text() + " has no associated policy.");
  return policy_not_found(request + "the policy associated to target " + target.text() +
                          " has revision id " + present + ".");
}

Result<void> check_settled(const PolicyTarget& target, const std::optional<ResourcePolicy>& policy,
                           const Call& call, Timestamp now) {
  if (!policy) return {};
  if (policy->is_pending(now)) {
    const bool is_table = target.stream_label.empty();
    return still_in_use(std::string(is_table ? "Table" : "Stream")
                            .append(" is pending previous resource-based policy update: ")
                            .append(is_table ? target.table_name : target.stream_label));
  }
  if (call.settings->policy_lag.count() == 0) return {};
  const Timestamp settled = Timestamp{policy->revision_ms * 1000}.plus(kCooldown);
  if (now >= settled) return {};
  return Error(ErrorCode::Throttling,
               "Resource-based policy for " + target.text() + " modified within the previous " +
                   std::to_string(kCooldown.count()) + " milliseconds. Please try again after " +
                   iso_extended(settled) + ".");
}

ResourcePolicy changed_policy(const std::optional<ResourcePolicy>& before,
                              std::string_view document, const Call& call, Timestamp now) {
  ResourcePolicy changed{.document = std::string(document),
                         .revision_ms = next_revision(before, now)};
  const auto lag = call.settings->policy_lag;
  if (lag.count() > 0) {
    changed.former = FormerPolicy{.document = before ? before->document : std::string(),
                                  .revision_ms = before ? before->revision_ms : 0,
                                  .until = now.plus(lag)};
  }
  return changed;
}

Error policy_not_found(std::string_view tail) {
  return Error(
      ErrorCode::PolicyNotFound,
      std::string("Resource-based policy not found for the provided ResourceArn: ").append(tail));
}

void write_revision(Call& call, std::int64_t revision_ms) {
  JsonWriter out(call.reply);
  out.begin_object();
  out.member("RevisionId", std::string_view(std::to_string(revision_ms)));
  out.end_object();
}

}  // namespace stator

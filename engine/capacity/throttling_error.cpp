#include "engine/capacity/throttling_error.h"

#include <cassert>

#include "protocol/json/json_writer.h"

namespace stator::capacity {
namespace {

// Recorded, with and without their final periods.
constexpr std::string_view kTableProvisioned =
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API.";
// For writes. No text is known for reads of an index; this one was at least seen on the wire.
constexpr std::string_view kIndexProvisioned =
    "The level of configured provisioned throughput for one or more global secondary indexes of "
    "the table was exceeded. Consider increasing your provisioning level for the "
    "under-provisioned global secondary indexes with the UpdateTable API";
constexpr std::string_view kTableOnDemand =
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly. If exceptions persist, check if you "
    "have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "bp-partition-key-design.html";
constexpr std::string_view kIndexOnDemand =
    "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is "
    "automatically scaling your index so please try again shortly.";
constexpr std::string_view kMaximum =
    "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
// Documented only.
constexpr std::string_view kAccount =
    "Throughput exceeds the current throughput limit for your account. To request a limit "
    "increase, contact AWS Support at https://aws.amazon.com/support.";

// Whether an index throttles a write to its table.
bool is_back_pressure(const ThrottlingReason& reason) {
  return reason.is_index && reason.dimension == Dimension::Write;
}

ErrorCode code_of(const ThrottledResource& resource, IndexErrors index_errors) {
  const ThrottlingReason& reason = resource.reason;
  const bool always_throttling =
      index_errors == IndexErrors::AlwaysThrottling && is_back_pressure(reason);
  switch (reason.limit) {
    case Limit::ProvisionedThroughput:
      return ErrorCode::ProvisionedThroughputExceeded;
    case Limit::MaxOnDemandThroughput:
      return ErrorCode::Throttling;
    case Limit::Account:
      return always_throttling ? ErrorCode::Throttling : ErrorCode::RequestLimitExceeded;
    case Limit::KeyRangeThroughput:
      return always_throttling || resource.is_on_demand ? ErrorCode::Throttling
                                                        : ErrorCode::ProvisionedThroughputExceeded;
  }
  return ErrorCode::Throttling;
}

std::string_view text_of(const ThrottlingReason& reason, ErrorCode code) {
  if (reason.limit == Limit::MaxOnDemandThroughput) return kMaximum;
  if (reason.limit == Limit::Account) return kAccount;
  if (code == ErrorCode::ProvisionedThroughputExceeded) {
    return reason.is_index ? kIndexProvisioned : kTableProvisioned;
  }
  return is_back_pressure(reason) ? kIndexOnDemand : kTableOnDemand;
}

}  // namespace

Error throttling_error(std::span<const ThrottledResource> resources, IndexErrors index_errors) {
  assert(!resources.empty());
  const ErrorCode code = code_of(resources.front(), index_errors);
  // The API model spells the member of this exception with a small letter.
  std::string members =
      code == ErrorCode::Throttling ? R"("throttlingReasons":[)" : R"("ThrottlingReasons":[)";
  for (const ThrottledResource& resource : resources) {
    if (&resource != &resources.front()) members.push_back(',');
    members.append(R"({"reason":")").append(to_text(resource.reason)).append(R"(","resource":)");
    append_json_string(members, resource.arn);
    members.push_back('}');
  }
  members.push_back(']');
  return Error(code, std::string(text_of(resources.front().reason, code)))
      .with_members(std::move(members));
}

bool is_throttled(const Error& error) {
  return error.code() == ErrorCode::ProvisionedThroughputExceeded ||
         error.code() == ErrorCode::Throttling || error.code() == ErrorCode::RequestLimitExceeded;
}

}  // namespace stator::capacity

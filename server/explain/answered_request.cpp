#include "server/explain/answered_request.h"

#include <string>

#include "engine/capacity/throttling_reason.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

// "TableReadProvisionedThroughputExceeded, IndexWriteKeyRangeThroughputExceeded", each once.
std::string limits_of(const Charging& charging) {
  std::string names;
  for (const RefusedEvent& event : charging.refused()) {
    for (const capacity::Refusal& refusal : event.by) {
      const std::string_view name = to_text(refusal.reason);
      if (names.find(name) != std::string::npos) continue;
      if (!names.empty()) names += ", ";
      names += name;
    }
  }
  return names;
}

}  // namespace

void keep(const AnsweredRequest& answered, RecentRequest& kept) {
  const auto& [call, error, id, operation, asked, asked_bytes, now, took] = answered;
  kept.time = now;
  kept.took = std::chrono::duration_cast<std::chrono::microseconds>(took);
  kept.units_milli = call.units_milli;
  kept.status = error != nullptr ? error_info(error->code()).http_status : std::uint16_t{200};
  kept.way = call.walked.way;
  kept.items_looked_at = call.walked.items_looked_at;
  kept.items_matched = call.walked.items_matched;
  kept.set(Part::Id, id);
  kept.set(Part::Operation, operation);
  kept.set(Part::Table, call.table_name);
  kept.set(Part::Region, call.caller.region);
  kept.set(Part::AccessKey, call.caller.access_key);
  kept.set(Part::Asked, asked, asked_bytes);
  kept.set(Part::Index, call.walked.index_name);
  if (error != nullptr) {
    kept.set(Part::Error, error_info(error->code()).name);
    kept.set(Part::Message, error->message());
    if (error->code() == ErrorCode::TransactionCanceled) kept.set(Part::Reasons, error->members());
    return;
  }
  kept.set(Part::Answered, call.reply);
  if (!call.charging.refused().empty()) kept.set(Part::Limits, limits_of(call.charging));
}

}  // namespace stator

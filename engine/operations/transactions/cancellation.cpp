#include "engine/operations/transactions/cancellation.h"

#include <cassert>
#include <string>
#include <string_view>
#include <utility>

#include "engine/operations/items/item_answers.h"
#include "engine/storage/records/item_codec.h"
#include "protocol/errors/rule.h"
#include "protocol/json/json_writer.h"
#include "protocol/service/error_texts.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

std::string_view code_of(const std::optional<Error>& reason) {
  return reason ? reason_code(*reason) : "None";
}

}  // namespace

std::string_view reason_code(const Error& reason) {
  switch (reason.code()) {
    case ErrorCode::ConditionalCheckFailed:
      return "ConditionalCheckFailed";
    case ErrorCode::DuplicateItem:
      return "DuplicateItem";
    case ErrorCode::ResourceNotFound:
      return "ResourceNotFound";
    case ErrorCode::ItemCollectionSizeLimitExceeded:
      return "ItemCollectionSizeLimitExceeded";
    case ErrorCode::TransactionConflict:
      return "TransactionConflict";
    case ErrorCode::ProvisionedThroughputExceeded:
      return "ProvisionedThroughputExceeded";
    case ErrorCode::Throttling:
    case ErrorCode::RequestLimitExceeded:
      return "ThrottlingError";
    default:
      return "ValidationError";
  }
}

void CancellationReasons::add(std::size_t action, Error reason, StoredItem item) {
  if (reasons_.empty()) reasons_.resize(actions_);
  reasons_[action] = {std::move(reason), item};
}

// Code, item, message: the order in recorded responses. Writes items directly from their records,
// because together they may be too large to copy.
void CancellationReasons::append_reason(std::string& out, const Reason& reason, bool shows_item) {
  out.append(R"({"Code":")").append(code_of(reason.error)).push_back('"');
  if (shows_item) {
    const std::size_t held_bytes = out.capacity();
    out.append(R"(,"Item":)");
    storage::EncodedItem(reason.item.record()).append_json(out);
    call_.memory.take(out.capacity() - held_bytes);
  }
  if (reason.error) {
    out.append(R"(,"Message":)");
    append_json_string(out, reason.error->message());
  }
  out.push_back('}');
}

Error CancellationReasons::to_error() && {
  assert(any());
  std::string message(kCancelledText);
  std::string members = R"("CancellationReasons":[)";
  std::size_t items_bytes = 0;  // counts items not shown, too
  for (std::size_t i = 0; i < reasons_.size(); ++i) {
    if (i > 0) {
      message.append(", ");
      members.push_back(',');
    }
    const Reason& reason = reasons_[i];
    items_bytes += reason.item.size_bytes();
    message.append(code_of(reason.error));
    append_reason(members, reason,
                  reason.item.exists() && items_bytes <= limits::kTransactionBytesMax);
  }
  members.push_back(']');
  return Error(ErrorCode::TransactionCanceled, message.append("]"))
      .with_members(std::move(members));
}

Error cancelled_for(std::size_t action, Error reason, std::size_t actions, Call& call) {
  CancellationReasons reasons(actions, call);
  reasons.add(action, std::move(reason));
  return std::move(reasons).to_error();
}

std::optional<Error> find_conflicts(std::span<const LocatedKey> keys, const Snapshot& snapshot,
                                    Call& call) {
  CancellationReasons reasons(keys.size(), call);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (snapshot.is_held(keys[i])) reasons.add(i, transaction_conflict());
  }
  if (!reasons.any()) return std::nullopt;
  return std::move(reasons).to_error();
}

bool admit_actions(std::span<const ChargedEvent> actions, capacity::Dimension dimension,
                   Timestamp now, Call& call, CancellationReasons& reasons) {
  const auto refusals = call.charging.admit_all(actions, dimension, now);
  // Only the throttling exceptions have the list of ThrottlingReasons.
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    if (refusals[i]) reasons.add(i, Error(refusals[i]->code(), refusals[i]->message()));
  }
  return refusals.empty();
}

std::optional<Error> cancelled_by_throttling(std::span<const ChargedEvent> actions,
                                             capacity::Dimension dimension, Timestamp now,
                                             Call& call) {
  CancellationReasons reasons(actions.size(), call);
  if (admit_actions(actions, dimension, now, call, reasons)) return std::nullopt;
  return std::move(reasons).to_error();
}

Error multiple_operations() {
  return Error::validation("Transaction request cannot include multiple operations on one item")
      .with_rule(Rule::TransactionItemOnce);
}

}  // namespace stator

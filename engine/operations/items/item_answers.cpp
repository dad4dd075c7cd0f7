#include "engine/operations/items/item_answers.h"

#include <string>
#include <utility>

#include "engine/operations/answer_members.h"
#include "engine/operations/items/collection_metrics.h"
#include "engine/storage/item_codec.h"
#include "protocol/attribute_value.h"
#include "protocol/expression/update.h"

namespace stator {
namespace {

// The attributes an update is asked for; ALL_OLD is known without them.
Item returned(ReturnValues wanted, const UpdatePlan& plan, const Decision& decision, Arena& arena) {
  const Item after = decision.after.value_or(Item());
  switch (wanted) {
    case ReturnValues::AllNew:
      return after;
    case ReturnValues::UpdatedOld:
      if (plan.update == nullptr) break;
      return expr::targeted_part(*plan.update, decision.before.item(arena), arena);
    case ReturnValues::UpdatedNew:
      if (plan.update == nullptr) break;
      return expr::targeted_part(*plan.update, after, arena);
    case ReturnValues::None:
    case ReturnValues::AllOld:
      break;
  }
  return {};
}

void write_attributes(JsonWriter& out, const WriteRequest& request, const Decision& decision,
                      Arena& arena) {
  if (request.answer.returns == ReturnValues::AllOld) {
    if (!decision.before.exists()) return;
    out.key("Attributes");
    out.before_value();
    storage::EncodedItem(decision.before.record()).append_json(out.out());
    return;
  }
  const auto* update = std::get_if<UpdatePlan>(&request.plan);
  if (update == nullptr) return;
  const Item attributes = returned(request.answer.returns, *update, decision, arena);
  if (attributes.empty()) return;
  out.key("Attributes");
  out.before_value();
  append_item_json(out.out(), attributes);
}

}  // namespace

Error condition_failed(const Decision& decision, bool shows_item, Wording wording) {
  Error error(ErrorCode::ConditionalCheckFailed, "The conditional request failed");
  if (!shows_item || !decision.before.exists()) return error;
  std::string item = "\"Item\":";
  storage::EncodedItem(decision.before.record()).append_json(item);
  // With an item the old wording spells the message's member like this.
  if (wording.profile == Profile::Classic) error = std::move(error).with_upper_message();
  return std::move(error).with_members(std::move(item));
}

Error duplicate_item() {
  return Error(ErrorCode::DuplicateItem, "Duplicate primary key exists in table");
}

Error transaction_conflict() {
  return Error(ErrorCode::TransactionConflict, "Transaction is ongoing for the item");
}

void render_write(const WriteRequest& request, const Decision& decision, Call& call) {
  JsonWriter out(call.reply);
  out.begin_object();
  write_attributes(out, request, decision, call.arena);
  write_consumed_capacity(out, request.answer.return_consumed_capacity, request.table_name,
                          decision.charges);
  if (request.answer.wants_collection_metrics && !decision.table->local_indexes.empty()) {
    out.key("ItemCollectionMetrics");
    write_collection_metrics(out, *decision.table, key_attributes(request.plan),
                             decision.collection_size_bytes);
  }
  out.end_object();
}

}  // namespace stator

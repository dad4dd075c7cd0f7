#include "engine/operations/items/item_answers.h"

#include <string>
#include <utility>

#include "engine/items/opened_names.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/items/collection_metrics.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/partial_item.h"
#include "protocol/errors/rule.h"
#include "protocol/expression/updates/update.h"
#include "protocol/service/error_texts.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

void write_attributes(JsonWriter& out, const WriteRequest& request, const Decision& decision,
                      Arena& arena) {
  const ReturnValues wanted = request.answer.returns;
  const bool is_old = wanted == ReturnValues::AllOld || wanted == ReturnValues::UpdatedOld;
  if (wanted == ReturnValues::AllOld || wanted == ReturnValues::AllNew) {
    const auto record = is_old ? record_before(decision) : record_after(decision);
    if (!record) return;
    out.key("Attributes");
    out.before_value();
    storage::EncodedItem(*record).append_json(out.out());
    return;
  }
  const auto* plan = std::get_if<UpdatePlan>(&request.plan);
  if (wanted == ReturnValues::None || plan == nullptr || plan->update == nullptr) return;
  const Item attributes = updated_part(*plan->update, is_old, decision, arena);
  if (attributes.empty()) return;
  out.key("Attributes");
  out.before_value();
  append_item_json(out.out(), attributes);
}

}  // namespace

Item updated_part(const expr::Update& update, bool is_old, const Decision& decision, Arena& arena) {
  const auto record = is_old ? record_before(decision) : record_after(decision);
  if (!record) return {};
  const storage::PartialItem parted(*record, target_names(update, arena), std::nullopt, arena);
  return expr::targeted_part(update, parted.attributes(), arena);
}

Error condition_failed(const Decision& decision, bool shows_item, Wording wording) {
  Error error = Error(ErrorCode::ConditionalCheckFailed, std::string(kConditionFailedText))
                    .with_rule(Rule::Condition);
  if (!shows_item || !decision.before.exists()) return error;
  std::string item = "\"Item\":";
  storage::EncodedItem(decision.before.record()).append_json(item);
  // With an item, the old wording spells the message's member so.
  if (wording.profile == Profile::Classic) error = std::move(error).with_upper_message();
  return std::move(error).with_members(std::move(item));
}

Error duplicate_item() { return Error(ErrorCode::DuplicateItem, std::string(kDuplicateItemText)); }

Error transaction_conflict() {
  return Error(ErrorCode::TransactionConflict, std::string(kTransactionConflictText));
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

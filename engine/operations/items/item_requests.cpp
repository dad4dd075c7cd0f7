#include "engine/operations/items/item_requests.h"

#include <algorithm>
#include <string>

#include "engine/storage/encoded_source.h"
#include "engine/storage/item_codec.h"
#include "protocol/expression/legacy_conditions.h"
#include "protocol/shape.h"

namespace stator {
namespace {

// Whether any of the members is present.
bool has_any(const JsonNode& body, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return body.find(name) != nullptr; });
}

std::string present_names(const JsonNode& body, std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (body.find(name) == nullptr) continue;
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

ReturnValues parse_return_values(const JsonNode& body) {
  const auto text = string_member(body, "ReturnValues");
  if (text == "ALL_OLD") return ReturnValues::AllOld;
  if (text == "ALL_NEW") return ReturnValues::AllNew;
  if (text == "UPDATED_OLD") return ReturnValues::UpdatedOld;
  if (text == "UPDATED_NEW") return ReturnValues::UpdatedNew;
  return ReturnValues::None;
}

}  // namespace

Result<void> check_not_mixed(const JsonNode& body, std::initializer_list<std::string_view> legacy,
                             std::initializer_list<std::string_view> expressions, Wording wording) {
  if (!has_any(body, legacy) || !has_any(body, expressions)) return {};
  return Error::validation(
      wording.enveloped("Can not use both expression and non-expression parameters in the same "
                        "request: Non-expression parameters: {" +
                        present_names(body, legacy) + "} Expression parameters: {" +
                        present_names(body, expressions) + "}"));
}

Result<void> check_condition_parameters(const JsonNode& body, Wording wording) {
  STATOR_CHECK(
      check_not_mixed(body, {"Expected", "ConditionalOperator"}, {"ConditionExpression"}, wording));
  const bool has_condition = body.find("ConditionExpression") != nullptr;
  return expr::Placeholders::check_wanted(
      body, has_condition, has_condition ? "" : "ConditionExpression is null", wording);
}

Result<const expr::Condition*> parse_write_condition(const JsonNode& body, Call& call) {
  STATOR_TRY(const expr::Condition* expected, expr::read_expected(body, call.wording, call.arena));
  if (expected != nullptr) return expected;
  const auto text = string_member(body, "ConditionExpression");
  if (!text) return nullptr;
  STATOR_TRY(auto placeholders,
             expr::Placeholders::read(body, call.wording, call.arena, call.expressions));
  STATOR_TRY(
      const expr::Condition* condition,
      expr::parse_condition(*text, "ConditionExpression", placeholders, call.wording, call.arena));
  STATOR_CHECK(placeholders.check_all_used(call.wording));
  return condition;
}

ReturnConsumedCapacity parse_return_consumed_capacity(const JsonNode& body) {
  const auto text = string_member(body, "ReturnConsumedCapacity");
  if (!text || *text == "NONE") return ReturnConsumedCapacity::None;
  return *text == "TOTAL" ? ReturnConsumedCapacity::Total : ReturnConsumedCapacity::Indexes;
}

Result<WriteAnswer> parse_write_answer(const JsonNode& body, Wording wording) {
  const WriteAnswer answer = parse_update_answer(body);
  if (answer.returns != ReturnValues::None && answer.returns != ReturnValues::AllOld) {
    return Error::validation(wording.enveloped("ReturnValues can only be ALL_OLD or NONE"));
  }
  return answer;
}

WriteAnswer parse_update_answer(const JsonNode& body) {
  return {.returns = parse_return_values(body),
          .returns_old_on_failure =
              string_member(body, "ReturnValuesOnConditionCheckFailure") == "ALL_OLD",
          .wants_collection_metrics = string_member(body, "ReturnItemCollectionMetrics") == "SIZE",
          .return_consumed_capacity = parse_return_consumed_capacity(body)};
}

Result<void> check_condition(const expr::Condition* condition, const WriteAnswer& answer,
                             const StoredItem& before, std::size_t after_size_bytes, Call& call) {
  if (condition == nullptr) return {};
  const storage::EncodedSource stored(before.exists() ? before.record() : std::string_view(),
                                      call.arena);
  if (expr::matches(*condition, stored)) return {};
  // A failed write costs what the larger of both items would; without a stored item, one unit.
  call.units_milli = before.exists()
                         ? write_units_milli(std::max(before.size_bytes(), after_size_bytes))
                         : kMilliPerUnit;
  Error error(ErrorCode::ConditionalCheckFailed, "The conditional request failed");
  if (!answer.returns_old_on_failure || !before.exists()) return error;
  std::string item = "\"Item\":";
  storage::EncodedItem(before.record()).append_json(item);
  return std::move(error).with_members(std::move(item));
}

void write_collection_metrics(JsonWriter& out, const Table& table, Item item_or_key,
                              std::int64_t size_bytes) {
  constexpr std::int64_t kBytesPerGb = std::int64_t{1} << 30;
  const auto lower_gb = static_cast<double>(size_bytes / kBytesPerGb);
  out.begin_object();
  out.key("ItemCollectionKey");
  out.begin_object();
  out.key(table.partition_key.name);
  out.before_value();
  append_value_json(out.out(), *find_attribute(item_or_key, table.partition_key.name));
  out.end_object();
  out.key("SizeEstimateRangeGB");
  out.begin_array();
  out.decimal(lower_gb);
  out.decimal(lower_gb + 1);
  out.end_array();
  out.end_object();
}

void render_write(const WriteAnswer& wanted, std::string_view table_name, const ItemChange& change,
                  Item item_or_key, const WriteOutcome& outcome, Call& call, Item attributes) {
  call.units_milli = outcome.consumed.total_units_milli();
  JsonWriter out(call.reply);
  out.begin_object();
  if (wanted.returns == ReturnValues::AllOld && change.before.exists()) {
    out.key("Attributes");
    out.before_value();
    storage::EncodedItem(change.before.record()).append_json(call.reply);
  } else if (!attributes.empty()) {
    out.key("Attributes");
    out.before_value();
    append_item_json(call.reply, attributes);
  }
  write_consumed_capacity(out, wanted.return_consumed_capacity, table_name, outcome.consumed);
  if (wanted.wants_collection_metrics && !change.table.local_indexes.empty()) {
    out.key("ItemCollectionMetrics");
    write_collection_metrics(out, change.table, item_or_key, outcome.collection_size_bytes);
  }
  out.end_object();
}

}  // namespace stator

#include "engine/operations/items/item_requests.h"

#include <array>
#include <variant>

#include "engine/call/settings.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/items/item_answers.h"
#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/legacy/legacy_conditions.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

ReturnValues parse_return_values(const JsonNode& body) {
  const auto text = string_member(body, "ReturnValues");
  if (text == "ALL_OLD") return ReturnValues::AllOld;
  if (text == "ALL_NEW") return ReturnValues::AllNew;
  if (text == "UPDATED_OLD") return ReturnValues::UpdatedOld;
  if (text == "UPDATED_NEW") return ReturnValues::UpdatedNew;
  return ReturnValues::None;
}

}  // namespace

std::string_view to_text(ReturnValues value) {
  switch (value) {
    case ReturnValues::AllOld:
      return "ALL_OLD";
    case ReturnValues::AllNew:
      return "ALL_NEW";
    case ReturnValues::UpdatedOld:
      return "UPDATED_OLD";
    case ReturnValues::UpdatedNew:
      return "UPDATED_NEW";
    case ReturnValues::None:
      break;
  }
  return "NONE";
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

Result<WriteAnswer> parse_write_answer(const JsonNode& body, Wording wording) {
  const WriteAnswer answer = parse_update_answer(body);
  if (answer.returns != ReturnValues::None && answer.returns != ReturnValues::AllOld) {
    return wording.enveloped(Error::validation("ReturnValues can only be ALL_OLD or NONE"));
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

Resource touched_write(std::string_view table_name, const WritePlan& plan) {
  // In the order of WritePlan.
  constexpr std::array<std::string_view, std::variant_size_v<WritePlan>> kActions{
      "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"};
  const auto* const update = std::get_if<UpdatePlan>(&plan);
  return {.table = table_name,
          .key = key_attributes(plan),
          .action = kActions[plan.index()],
          .key_source = KeySource::ItemKey,
          .condition = std::visit([](const auto& one) { return one.condition; }, plan),
          .update = update != nullptr ? update->update : nullptr};
}

WriteContext write_context(const Snapshot& snapshot, Mutation& mutation, Call& call,
                           const DecidedCollections* earlier) {
  return {snapshot,
          call.arena,
          mutation.scratch(),
          mutation.looking(),
          call.settings->item_collection_bytes_max,
          earlier};
}

Result<Decision> decide_write(const Table& table, const WritePlan& plan, const Snapshot& snapshot,
                              Mutation& mutation, Call& call) {
  STATOR_TRY(const PrimaryKey key, locate(table, plan));
  if (snapshot.is_held({&table, key})) return transaction_conflict();
  STATOR_TRY(const Decision decision,
             decide(table, key, plan, write_context(snapshot, mutation, call)));
  if (auto throttled =
          call.charging.admit(charged_event(decision), capacity::Dimension::Write, snapshot.now()))
    return std::move(*throttled);
  record_units(call, call.table_name, decision.charges);
  return decision;
}

Result<void> WriteOperation::execute(const Request& request, const Snapshot& snapshot,
                                     Mutation& mutation, Call& call) {
  STATOR_TRY(const Table* table, snapshot.item_table(call, request.table_name));
  STATOR_TRY(const Decision decision, decide_write(*table, request.plan, snapshot, mutation, call));
  if (decision.condition_failed)
    return condition_failed(decision, request.answer.returns_old_on_failure, call.wording);
  enter(decision, mutation);
  render_write(request, decision, call);
  return {};
}

void WriteOperation::resources(const Request& request, Resources& touched) {
  Resource& item = touched.emplace_back(touched_write(request.table_name, request.plan));
  const WriteAnswer& answer = request.answer;
  // A failed condition shows the same attributes as ALL_OLD.
  const bool shows_old = answer.returns_old_on_failure && answer.returns != ReturnValues::AllNew;
  item.return_values = to_text(shows_old ? ReturnValues::AllOld : answer.returns);
  item.return_consumed_capacity = to_text(answer.return_consumed_capacity);
}

}  // namespace stator

// UpdateItem: changes attributes of one item by an UpdateExpression or by AttributeUpdates. Creates
// a missing item, unless the update only removes values.
#include <string_view>

#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/legacy/legacy_conditions.h"
#include "protocol/expression/legacy/legacy_updates.h"
#include "protocol/expression/updates/update.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

// Without a Key the service falls back to the classic wording of constraints.
Wording constraint_wording(const JsonNode& body, Wording wording) {
  if (body.find("Key") == nullptr) wording.layer = Layer::Classic;
  return wording;
}

Result<void> check_parameters(const JsonNode& body, Wording wording) {
  STATOR_CHECK(check_not_mixed(body, {"AttributeUpdates", "Expected", "ConditionalOperator"},
                               {"UpdateExpression", "ConditionExpression"}, wording));
  const bool has_expression =
      body.find("UpdateExpression") != nullptr || body.find("ConditionExpression") != nullptr;
  return expr::Placeholders::check_wanted(
      body, has_expression,
      has_expression ? "" : "UpdateExpression and ConditionExpression are null", wording);
}

Result<void> parse_expressions(const JsonNode& body, Call& call, UpdatePlan& plan) {
  const auto update = string_member(body, "UpdateExpression");
  const auto condition = string_member(body, "ConditionExpression");
  if (!update && !condition) return {};
  STATOR_TRY(auto placeholders,
             expr::Placeholders::read(body, call.wording, call.arena, call.expressions));
  if (update) {
    STATOR_TRY(plan.update, expr::parse_update(*update, placeholders, call.wording, call.arena));
  }
  if (condition) {
    STATOR_TRY(plan.condition, expr::parse_condition(*condition, "ConditionExpression",
                                                     placeholders, call.wording, call.arena));
  }
  return placeholders.check_all_used(call.wording);
}

struct UpdateItem : WriteOperation {
  static constexpr std::string_view name = "UpdateItem";
  static constexpr Layer layer = Layer::Enveloped;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kUpdateItemInput));
    STATOR_CHECK(
        check_constraints(body, model::kUpdateItemInput, constraint_wording(body, call.wording)));
    call.table_name = *string_member(body, "TableName");
    STATOR_CHECK(check_parameters(body, call.wording));
    UpdatePlan plan;
    plan.is_charged = call.wording.profile != Profile::Classic;
    STATOR_TRY(plan.key, decode_item(*body.find("Key"), call.wording, call.arena));
    STATOR_TRY(plan.update, expr::read_attribute_updates(body, call.wording, call.arena));
    STATOR_TRY(plan.condition, expr::read_expected(body, call.wording, call.arena));
    STATOR_CHECK(parse_expressions(body, call, plan));
    return call.arena.make<Request>(call.table_name, plan, parse_update_answer(body));
  }
};

}  // namespace

Operation update_item_row() { return define<UpdateItem>(); }

}  // namespace stator

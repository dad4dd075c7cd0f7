#include "engine/operations/transactions/write_actions.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/updates/update.h"
#include "protocol/json/json_reader.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

// JSON depth of a value that is only compared. 32 nested maps are accepted, 40 are not (8 of 10
// Regions); the exact limit was not measured (conformance/observed/transactions.md 2).
constexpr std::size_t kComparedJsonDepthMax = 2 * 39 + 1;

// JSON depth of a stored attribute.
constexpr std::size_t kStoredJsonDepthMax = 2 * limits::kValueDepthMax;

bool is_next(const Call& call) { return call.wording.profile == Profile::Next; }

// Checked for an item or a key before its action's expressions are read.
Result<void> check_names(const JsonNode& attributes) {
  for (const JsonMember& attribute : attributes.members())
    STATOR_CHECK(check_attribute_name(attribute.name));
  return {};
}

// Checked before all other errors of its values.
Result<void> check_depth(const JsonNode& attributes) {
  for (const JsonMember& attribute : attributes.members()) {
    if (is_deeper_than(attribute.value, kStoredJsonDepthMax)) return too_deep_error();
  }
  return {};
}

Result<void> check_depth_of_values(const JsonNode& node, const Call& call) {
  const JsonNode* const values = node.find("ExpressionAttributeValues");
  if (values == nullptr) return {};
  for (const JsonMember& value : values->members()) {
    if (is_deeper_than(value.value, kComparedJsonDepthMax)) {
      return expr::invalid_value("ExpressionAttributeValues", too_deep_error(), value.name);
    }
    // Both compared and stored values, whatever the action.
    if (is_next(call) && is_deeper_than(value.value, kStoredJsonDepthMax)) return too_deep_error();
  }
  return {};
}

struct Expressions {
  const expr::Condition* condition = nullptr;
  const expr::Update* update = nullptr;
};

// Unlike in a single request, an action may have names and values without any expression.
Result<Expressions> parse_expressions(const JsonNode& node, Call& call,
                                      std::size_t& payload_bytes) {
  STATOR_CHECK(check_depth_of_values(node, call));
  STATOR_TRY(auto placeholders,
             expr::Placeholders::read(node, call.wording, call.arena, call.expressions));
  payload_bytes += placeholders.size_bytes();
  const auto update = string_member(node, "UpdateExpression");
  const auto condition = string_member(node, "ConditionExpression");
  Expressions parsed;
  if (!update && !condition) return parsed;
  if (update) {
    STATOR_TRY(parsed.update, expr::parse_update(*update, placeholders, call.wording, call.arena));
  }
  if (condition) {
    STATOR_TRY(parsed.condition, expr::parse_condition(*condition, "ConditionExpression",
                                                       placeholders, call.wording, call.arena));
  }
  STATOR_CHECK(placeholders.check_all_used(call.wording));
  return parsed;
}

Result<WritePlan> parse_put(const JsonNode& node, Call& call, std::size_t& payload_bytes) {
  const JsonNode& attributes = *node.find("Item");
  STATOR_CHECK(check_names(attributes));
  STATOR_CHECK(check_depth(attributes));
  STATOR_TRY(const Expressions parsed, parse_expressions(node, call, payload_bytes));
  STATOR_TRY(const Item item, decode_item(attributes, call.wording, call.arena));
  const std::size_t size_bytes = item_size_bytes(item);
  payload_bytes += size_bytes;
  if (size_bytes > limits::kItemBytesMax) return item_too_large();
  return PutPlan{item, size_bytes, parsed.condition};
}

struct KeyAction {
  Item key;
  Expressions expressions;
};

Result<KeyAction> parse_key_action(const JsonNode& node, Call& call, std::size_t& payload_bytes) {
  const JsonNode& attributes = *node.find("Key");
  STATOR_CHECK(check_names(attributes));
  KeyAction action;
  STATOR_TRY(action.expressions, parse_expressions(node, call, payload_bytes));
  // Unlike an item's, a key's depth is checked after the expressions.
  STATOR_CHECK(check_depth(attributes));
  STATOR_TRY(action.key, decode_item(attributes, call.wording, call.arena));
  payload_bytes += item_size_bytes(action.key);
  return action;
}

Result<WritePlan> parse_update(const JsonNode& node, Call& call, std::size_t& payload_bytes) {
  STATOR_TRY(const KeyAction action, parse_key_action(node, call, payload_bytes));
  // Only the finished item is measured, not the update (conformance/observed/transactions.md 3, 7).
  return UpdatePlan{action.key, action.expressions.update, action.expressions.condition,
                    /*is_charged=*/is_next(call)};
}

Result<WritePlan> parse_delete(const JsonNode& node, Call& call, std::size_t& payload_bytes) {
  STATOR_TRY(const KeyAction action, parse_key_action(node, call, payload_bytes));
  return DeletePlan{action.key, action.expressions.condition};
}

Result<WritePlan> parse_check(const JsonNode& node, Call& call, std::size_t& payload_bytes) {
  STATOR_TRY(const KeyAction action, parse_key_action(node, call, payload_bytes));
  return CheckPlan{action.key, action.expressions.condition};
}

using Parse = Result<WritePlan> (*)(const JsonNode& node, Call& call, std::size_t& payload_bytes);
constexpr std::array<std::pair<std::string_view, Parse>, 4> kActions{{
    {"Put", parse_put},
    {"Update", parse_update},
    {"Delete", parse_delete},
    {"ConditionCheck", parse_check},
}};

}  // namespace

Result<WriteAction> parse_write_action(const JsonNode& node, Call& call,
                                       std::size_t& payload_bytes) {
  const JsonNode* found = nullptr;
  Parse parse = nullptr;
  for (const auto& [name, parse_action] : kActions) {
    const JsonNode* member = node.find(name);
    if (member == nullptr) continue;
    if (found != nullptr) {
      return Error::validation(
          "TransactItems can only contain one of Check, Put, Update or Delete");
    }
    found = member;
    parse = parse_action;
  }
  if (found == nullptr) {
    if (is_next(call)) {
      return constraint_error(
          "transactItems",
          "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck", "");
    }
    return Error::validation(
        "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request");
  }
  WriteAction action;
  action.table_name = *string_member(*found, "TableName");
  action.returns_old_on_failure =
      string_member(*found, "ReturnValuesOnConditionCheckFailure") == "ALL_OLD";
  STATOR_TRY(action.plan, parse(*found, call, payload_bytes));
  return action;
}

}  // namespace stator

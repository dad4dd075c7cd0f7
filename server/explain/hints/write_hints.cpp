// Hints about writes: a missing part of a path, and a time to live that never expires.
#include <algorithm>
#include <utility>

#include "engine/call/scope.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/updates/update.h"
#include "protocol/model/shapes.h"
#include "protocol/number/number.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"
#include "server/explain/hints/asked_statement.h"
#include "server/explain/hints/hints.h"
#include "server/explain/hints/stored_values.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

// Milliseconds since 1970 have 13 digits; read as seconds, they are tens of thousands of years
// away.
constexpr std::uint64_t kMillisecondsMin = 1'000'000'000'000;
constexpr std::uint64_t kSecondsOfYear = 31'556'952;

const expr::Update* update_in(const JsonNode& write, Arena& arena) {
  const JsonNode* const text = write.find("UpdateExpression");
  if (text == nullptr) return nullptr;
  auto placeholders = expr::Placeholders::read(write, Wording(), arena);
  if (!placeholders) return nullptr;
  const auto update = expr::parse_update(text->text(), *placeholders, Wording(), arena);
  return update ? *update : nullptr;
}

// Finds the first part of the path, except the last, that is missing or cannot contain the next;
// empty if none.
std::string broken_part(Item item, expr::Path path, bool is_removed) {
  for (std::size_t size = 1; size < path.size(); ++size) {
    const expr::Path part = path.first(size);
    const bool is_in_list = path[size].is_index;
    const std::string kind = is_in_list ? "list" : "map";
    const Value* const value = expr::find_value_at(item, part);
    if (value == nullptr)
      return "the item has no " + plain_path(part) +
             (is_removed ? "" : ": SET it to a " + kind + " first");
    if (value->type() != (is_in_list ? Type::L : Type::M))
      return plain_path(part) + " is " + std::string(type_name(value->type())) + ", and no " + kind;
  }
  return {};
}

std::string missing_operand(Item item, const expr::Operand& operand) {
  if (operand.kind == expr::Operand::Kind::Attribute) {
    if (expr::find_value_at(item, operand.path) != nullptr) return {};
    const std::string path = plain_path(operand.path);
    return "the item has no " + path + ": if_not_exists(" + path + ", DEFAULT) gives it a value";
  }
  if (operand.kind != expr::Operand::Kind::Computed) return {};
  const auto operands = operand.call->operands;
  const bool has_default = operand.call->function == expr::Function::IfNotExists;
  for (const expr::Operand& argument : has_default ? operands.subspan(1) : operands) {
    std::string missing = missing_operand(item, argument);
    if (!missing.empty()) return missing;
  }
  return {};
}

// Why this value of the time-to-live attribute never deletes the item; empty if it may.
std::string wrong_time_text(const Table& table, const Value& value) {
  const std::string& name = table.expiry()->attribute_name;
  const std::string subject = name + " is the time to live of table '" + table.name + "': ";
  if (value.type() != Type::N) {
    return subject + "it is a number of seconds since 1970, and an item that has it as " +
           std::string(type_name(value.type())) + " never expires";
  }
  const auto seconds = whole_part(value.bytes());
  if (!seconds || *seconds < kMillisecondsMin) return {};
  return subject + "it is in seconds since 1970, and " + value_text(value) +
         " looks like milliseconds, which is the year " +
         std::to_string(1970 + *seconds / kSecondsOfYear);
}

// Checks the value that a put or an update gives the attribute.
std::string wrong_time_in(const Table& table, const JsonNode& write) {
  Arena arena;
  const std::string& name = table.expiry()->attribute_name;
  const auto text_of = [&](const JsonNode* node) -> std::string {
    if (node == nullptr || !check_value_types(*node, ValuePlace::Element)) return {};
    const auto value = decode_value(*node, Wording(), arena);
    return value ? wrong_time_text(table, *value) : std::string();
  };
  const JsonNode* const item = write.find("Item");
  if (item != nullptr) return text_of(item->find(name));
  const JsonNode* const legacy = write.find("AttributeUpdates");
  const JsonNode* const change = legacy != nullptr ? legacy->find(name) : nullptr;
  if (change != nullptr) return text_of(change->find("Value"));
  const expr::Update* const update = update_in(write, arena);
  if (update == nullptr) return {};
  for (const expr::SetAction& set : update->sets) {
    if (set.target.size() != 1 || set.target.front().name != name) continue;
    const expr::Operand* given = &set.left;
    const bool has_default = given->kind == expr::Operand::Kind::Computed &&
                             given->call->function == expr::Function::IfNotExists;
    if (has_default) given = &given->call->operands[1];
    if (given->kind == expr::Operand::Kind::Constant) return wrong_time_text(table, given->value);
  }
  return {};
}

// What the item lacks for an update that failed with `message`; empty if unknown.
std::string what_lacks(const expr::Update& update, Item item, std::string_view message) {
  const bool is_target =
      message.find("document path provided in the update expression") != std::string_view::npos;
  const bool is_operand =
      message.find("an attribute that does not exist in the item") != std::string_view::npos;
  std::string text;
  for (const expr::Path target : update.targets) {
    if (!is_target || !text.empty()) break;
    const bool is_removed =
        std::any_of(update.removes.begin(), update.removes.end(),
                    [&](expr::Path removed) { return expr::is_same_path(removed, target); });
    text = broken_part(item, target, is_removed);
  }
  for (const expr::SetAction& set : update.sets) {
    if (is_operand && text.empty()) text = missing_operand(item, set.left);
    const bool has_right = set.arithmetic != expr::SetAction::Arithmetic::None;
    if (is_operand && text.empty() && has_right) text = missing_operand(item, set.right);
  }
  return text;
}

// A write of a request, with its table's name.
using Write = std::pair<std::string_view, const JsonNode*>;

void collect_batch(const JsonNode& tables, std::vector<Write>& writes) {
  for (const JsonMember& table : tables.members()) {
    for (const JsonNode& request : table.value.elements()) {
      const JsonNode* const put = request.find("PutRequest");
      if (put != nullptr) writes.emplace_back(table.name, put);
    }
  }
}

std::vector<Write> writes_of(const HintInput& hinted) {
  std::vector<Write> writes;
  const std::string_view operation = hinted.text(Part::Operation);
  const auto is_typed = [&](std::string_view name, const TypeSpec& shape) {
    return operation == name && hinted.asked != nullptr && check_types(*hinted.asked, shape);
  };
  if (is_typed("PutItem", model::kPutItemInput) ||
      is_typed("UpdateItem", model::kUpdateItemInput)) {
    writes.emplace_back(hinted.table_name, hinted.asked);
  } else if (is_typed("BatchWriteItem", model::kBatchWriteItemInput)) {
    const JsonNode* const tables = hinted.member("RequestItems");
    if (tables != nullptr) collect_batch(*tables, writes);
  } else if (is_typed("TransactWriteItems", model::kTransactWriteItemsInput)) {
    const JsonNode* const actions = hinted.member("TransactItems");
    if (actions == nullptr) return writes;
    for (const JsonNode& action : actions->elements()) {
      for (const JsonMember& verb : action.members()) {
        const JsonNode* const table =
            verb.value.kind() == JsonNode::Kind::Object ? verb.value.find("TableName") : nullptr;
        if (table != nullptr) writes.emplace_back(table_name_of(table->text()), &verb.value);
      }
    }
  }
  return writes;
}

}  // namespace

std::string missing_part_text(const HintInput& hinted, const Table& table, const JsonNode& write,
                              std::string_view message) {
  Arena arena;
  const expr::Update* const update = update_in(write, arena);
  const auto item = stored_item(hinted.tables, table, write.find("Key"), /*is_item=*/false, arena);
  return update != nullptr && item ? what_lacks(*update, *item, message) : std::string();
}

void hint_at_missing_part(const HintInput& hinted, std::vector<std::string>& hints) {
  std::string text;
  Arena arena;
  const std::string_view message = hinted.text(Part::Message);
  if (const auto* const statement = asked_statement(hinted, arena)) {
    const auto item = item_of_statement(hinted, *statement, arena);
    if (item && statement->update != nullptr) text = what_lacks(*statement->update, *item, message);
  } else if (hinted.text(Part::Operation) == "UpdateItem" && hinted.table != nullptr &&
             hinted.asked != nullptr && check_types(*hinted.asked, model::kUpdateItemInput)) {
    text = missing_part_text(hinted, *hinted.table, *hinted.asked, message);
  }
  if (text.empty()) return;
  if (text.starts_with("the ")) text.front() = 'T';
  hints.push_back(std::move(text));
}

void hint_at_time_to_live(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.request.has_failed()) return;
  for (const auto& [name, write] : writes_of(hinted)) {
    const Table* const table = hinted.tables.find(hinted.scope, table_name_of(name));
    if (table == nullptr || table->expiry() == nullptr) continue;
    std::string text = wrong_time_in(*table, *write);
    if (text.empty()) continue;
    hints.push_back(std::move(text));
    return;
  }
}

}  // namespace stator

// Hints about conditions and filters: compares them with stored items.
#include <algorithm>
#include <set>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/legacy/legacy_conditions.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"
#include "server/explain/hints/asked_statement.h"
#include "server/explain/hints/hints.h"
#include "server/explain/hints/stored_values.h"
#include "server/options/argument_errors.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;
using Operand = expr::Operand;

constexpr std::size_t kOperandsTold = 6;
constexpr std::size_t kNamesCompared = 50;
// Limit of operands per condition.
constexpr std::size_t kOperandsMax = 32;

// An attribute and the constant it is compared with.
struct Comparison {
  const Operand* attribute;
  const Operand* constant;
};

// The parts of a condition that hints use, as pointers into its tree.
struct ConditionParts {
  std::vector<const Operand*> operands;    // in the order of the text
  std::vector<const Operand*> attributes;  // usually must exist for the condition to hold
  std::vector<Comparison> comparisons;

  void add(const Operand& operand, bool is_wanted) {
    if (operand.kind == Operand::Kind::Computed) {
      for (const Operand& argument : operand.call->operands) add(argument, is_wanted);
      return;
    }
    if (operands.size() == kOperandsMax) return;
    operands.push_back(&operand);
    if (is_wanted && operand.kind == Operand::Kind::Attribute) attributes.push_back(&operand);
  }
  void compare(const Operand& one, const Operand& other) {
    if (comparisons.size() == kOperandsMax) return;
    if (one.kind == Operand::Kind::Attribute && other.kind == Operand::Kind::Constant)
      comparisons.push_back({&one, &other});
    if (one.kind == Operand::Kind::Constant && other.kind == Operand::Kind::Attribute)
      comparisons.push_back({&other, &one});
  }
};

void collect(const expr::Condition& condition, ConditionParts& parts) {
  using Kind = expr::Condition::Kind;
  for (const expr::Condition* child : condition.children) collect(*child, parts);
  if (condition.kind == Kind::Test) {
    const bool is_wanted = condition.call->function != expr::Function::AttributeNotExists;
    for (const Operand& operand : condition.call->operands) parts.add(operand, is_wanted);
    const bool compares = condition.call->function == expr::Function::BeginsWith;
    if (compares && condition.call->operands.size() == 2)
      parts.compare(condition.call->operands[0], condition.call->operands[1]);
    return;
  }
  for (const Operand& operand : condition.operands) parts.add(operand, true);
  const bool compares = condition.kind == Kind::Compare || condition.kind == Kind::Between ||
                        condition.kind == Kind::In;
  for (std::size_t i = 1; compares && i < condition.operands.size(); ++i)
    parts.compare(condition.operands[0], condition.operands[i]);
}

// The condition in `member` of a body, parsed with the body's placeholders; nullptr if missing or
// invalid. REQUIRES: the body's members have the right types.
const expr::Condition* condition_in(const JsonNode& body, std::string_view member, Arena& arena) {
  const JsonNode* const text = body.find(member);
  if (text == nullptr) return nullptr;
  auto placeholders = expr::Placeholders::read(body, Wording(), arena);
  if (!placeholders) return nullptr;
  const auto condition =
      expr::parse_condition(text->text(), member, *placeholders, Wording(), arena);
  return condition ? *condition : nullptr;
}

const expr::Condition* filter_of(const HintInput& hinted, Arena& arena) {
  if (const auto* const statement = asked_statement(hinted, arena)) return statement->where;
  const bool is_scan = hinted.text(Part::Operation) == "Scan";
  if (!is_scan && hinted.text(Part::Operation) != "Query") return nullptr;
  if (!check_types(*hinted.asked, is_scan ? model::kScanInput : model::kQueryInput)) return nullptr;
  const auto* const filter = condition_in(*hinted.asked, "FilterExpression", arena);
  if (filter != nullptr || !hinted.is_asked_whole) return filter;
  const auto legacy =
      expr::read_filter(*hinted.asked, is_scan ? "ScanFilter" : "QueryFilter", Wording(), arena);
  return legacy ? *legacy : nullptr;
}

std::string constant_text(const Operand& constant) {
  return constant.placeholder.empty() ? value_text(constant.value)
                                      : std::string(constant.placeholder);
}

// "S", or "S or N": the types of the values at the path; empty if no item has one.
std::string types_at(const std::vector<Item>& items, expr::Path path) {
  std::set<std::string_view> types;
  for (const Item item : items) {
    const Value* const value = expr::find_value_at(item, path);
    if (value != nullptr) types.insert(type_name(value->type()));
  }
  std::string text;
  for (const std::string_view type : types) text.append(text.empty() ? "" : " or ").append(type);
  return text;
}

bool has_type_at(const std::vector<Item>& items, expr::Path path, Type type) {
  return std::any_of(items.begin(), items.end(), [&](Item item) {
    const Value* const value = expr::find_value_at(item, path);
    return value != nullptr && value->type() == type;
  });
}

std::string meant_name(const std::vector<Item>& items, expr::Path path) {
  std::set<std::string, std::less<>> names;
  for (const Item item : items)
    for (const Member& member : item)
      if (names.size() < kNamesCompared) names.emplace(member.name);
  return path.size() > 1 ? "" : did_you_mean(path.front().name, {names.begin(), names.end()});
}

// "100 items" after the word for many, or the text for one.
std::string items_text(std::string_view one, std::string_view many, std::size_t count) {
  return count == 1 ? std::string(one) : std::string(many) + std::to_string(count) + " items";
}

// "in the item as it is now version is 1, :v is 2". Omits the keys of `statement_table`, because
// the statement names them already.
std::string values_text(const expr::Condition& condition, Item item, const Table* statement_table) {
  if (item.empty()) return "there is no item with this key now";
  ConditionParts parts;
  collect(condition, parts);
  std::string told;
  std::set<std::string> seen;
  for (const Operand* operand : parts.operands) {
    const bool is_attribute = operand->kind == Operand::Kind::Attribute;
    if (!is_attribute && operand->placeholder.empty()) continue;
    if (is_attribute && statement_table != nullptr &&
        statement_table->is_key(operand->path.front().name))
      continue;
    const std::string name =
        is_attribute ? plain_path(operand->path) : std::string(operand->placeholder);
    if (seen.size() == kOperandsTold || !seen.insert(name).second) continue;
    const Value* const value =
        is_attribute ? expr::find_value_at(item, operand->path) : &operand->value;
    told.append(told.empty() ? "" : ", ").append(name).append(" is ");
    told += value != nullptr ? value_text(*value) : "missing";
  }
  return told.empty() ? told : "in the item as it is now " + told;
}

}  // namespace

void hint_at_filter_types(const HintInput& hinted, std::vector<std::string>& hints) {
  const ReadStats& walked = hinted.request.walked;
  if (hinted.request.has_failed() || walked.items_scanned == 0 || hinted.table == nullptr ||
      hinted.asked == nullptr)
    return;
  Arena arena;
  const expr::Condition* const filter = filter_of(hinted, arena);
  if (filter == nullptr) return;
  ConditionParts parts;
  collect(*filter, parts);
  const auto items = hinted.tables.first_items(*hinted.table, kItemsSeen, arena);
  if (items.empty()) return;
  std::string told;
  for (const auto& [attribute, constant] : parts.comparisons) {
    const std::string types = types_at(items, attribute->path);
    if (types.empty() || has_type_at(items, attribute->path, constant->value.type())) continue;
    const std::string text = plain_path(attribute->path) + " is " + types + ", " +
                             constant_text(*constant) + " is " +
                             std::string(type_name(constant->value.type()));
    if (told.find(text) == std::string::npos) told.append(told.empty() ? "" : "; ").append(text);
  }
  if (!told.empty()) {
    hints.push_back("In the " + items_text("item", "", items.size()) + " looked at " + told +
                    ": values of different types are never equal, less or greater");
  }
  if (walked.items_matched > 0) return;
  std::set<std::string> names;
  for (const Operand* attribute : parts.attributes) {
    if (!types_at(items, attribute->path).empty()) continue;
    if (!names.insert(plain_path(attribute->path)).second) continue;
    hints.push_back(items_text("The item", "None of the ", items.size()) + " looked at has " +
                    (items.size() == 1 ? "no " : "") + plain_path(attribute->path) +
                    meant_name(items, attribute->path));
  }
}

std::string unmet_values_text(const HintInput& hinted, const Table& table, const JsonNode& write) {
  Arena arena;
  const expr::Condition* condition = condition_in(write, "ConditionExpression", arena);
  if (condition == nullptr && hinted.is_asked_whole && write.find("Expected") != nullptr) {
    const auto legacy = expr::read_expected(write, Wording(), arena);
    if (legacy) condition = *legacy;
  }
  const JsonNode* const key = write.find("Key");
  const auto item = stored_item(hinted.tables, table, key != nullptr ? key : write.find("Item"),
                                key == nullptr, arena);
  if (condition == nullptr || !item) return {};
  return values_text(*condition, *item, nullptr);
}

std::string unmet_statement_text(const HintInput& hinted) {
  Arena arena;
  const partiql::Lowered* const statement = asked_statement(hinted, arena);
  if (statement == nullptr) return {};
  const auto item = item_of_statement(hinted, *statement, arena);
  return item ? values_text(*statement->where, *item, hinted.table) : std::string();
}

}  // namespace stator

#include "server/explain/hints/schema_text.h"

#include <algorithm>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/memory/arena.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {

namespace {

constexpr std::size_t kIndexesTold = 5;
constexpr std::size_t kAttributesTold = 6;

void collect_equal(const expr::Condition& condition, std::vector<std::string>& names) {
  if (condition.kind == expr::Condition::Kind::And) {
    for (const expr::Condition* child : condition.children) collect_equal(*child, names);
    return;
  }
  if (condition.kind != expr::Condition::Kind::Compare ||
      condition.comparator != expr::Comparator::Equal)
    return;
  const auto is_kind = [](const expr::Operand& operand, expr::Operand::Kind kind) {
    return operand.kind == kind;
  };
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const expr::Operand& operand = condition.operands[side];
    if (is_kind(operand, expr::Operand::Kind::Attribute) && operand.path.size() == 1 &&
        is_kind(condition.operands[1 - side], expr::Operand::Kind::Constant))
      names.emplace_back(operand.path.front().name);
  }
}

}  // namespace

std::string key_text(std::span<const KeyAttribute> partition_keys,
                     std::span<const KeyAttribute> sort_keys) {
  std::string text;
  for (const auto keys : {partition_keys, sort_keys}) {
    for (const KeyAttribute& key : keys) {
      if (!text.empty()) text += " and ";
      text.append(key.name).append(" (").append(type_name(key.type)).append(")");
    }
  }
  return text;
}

std::string key_text(const Table& table) {
  const KeyChoice own = key_choices(table).front();
  return key_text(own.partition_keys, own.sort_keys);
}

std::vector<KeyChoice> key_choices(const Table& table) {
  std::span<const KeyAttribute> sort_keys;
  if (table.sort_key) sort_keys = {&*table.sort_key, 1};
  std::vector<KeyChoice> choices{{{}, {&table.partition_key, 1}, sort_keys}};
  for (const LocalIndex& index : table.local_indexes)
    choices.push_back({index.name, index.partition_keys, index.sort_keys});
  for (const GlobalIndex& index : table.global_indexes)
    choices.push_back({index.name, index.partition_keys, index.sort_keys});
  return choices;
}

std::string key_choices_text(const Table& table) {
  std::string text = "The key of table '" + table.name + "' is " + key_text(table);
  const auto choices = key_choices(table);
  for (std::size_t i = 1; i < choices.size() && i <= kIndexesTold; ++i) {
    text.append("; index ").append(choices[i].index_name).append(": ");
    text += key_text(choices[i].partition_keys, choices[i].sort_keys);
  }
  return text;
}

std::string_view type_given(const JsonNode& value) {
  const bool has_type = value.kind() == JsonNode::Kind::Object && !value.members().empty();
  return has_type ? value.members().front().name : std::string_view();
}

std::string first_misfit(const Table& table, const JsonNode& attributes) {
  const KeyChoice own = key_choices(table).front();
  for (const auto keys : {own.partition_keys, own.sort_keys}) {
    for (const KeyAttribute& key : keys) {
      const JsonNode* const value = attributes.find(key.name);
      if (value == nullptr || type_given(*value) != type_name(key.type)) return key.name;
    }
  }
  for (const JsonMember& member : attributes.members()) {
    if (member.name == table.partition_key.name) continue;
    if (!table.sort_key || member.name != table.sort_key->name) return std::string(member.name);
  }
  return {};
}

std::string given_text(const JsonNode* attributes, std::span<const std::string_view> only) {
  if (attributes == nullptr || attributes->kind() != JsonNode::Kind::Object) return {};
  std::string text;
  std::size_t told = 0;
  for (const JsonMember& member : attributes->members()) {
    if (!only.empty() && std::find(only.begin(), only.end(), member.name) == only.end()) continue;
    if (told++ == kAttributesTold) break;
    if (!text.empty()) text += " and ";
    text += member.name;
    const std::string_view type = type_given(member.value);
    if (!type.empty()) text.append(" (").append(type).append(")");
  }
  return text;
}

std::vector<std::string> equal_attributes(const JsonNode& body, std::string_view member) {
  if (!check_types(body, model::kQueryInput)) return {};
  const JsonNode* const text = body.find(member);
  if (text == nullptr) return {};
  Arena arena;
  auto placeholders = expr::Placeholders::read(body, Wording(), arena);
  if (!placeholders) return {};
  const auto condition =
      expr::parse_condition(text->text(), member, *placeholders, Wording(), arena);
  std::vector<std::string> names;
  if (condition) collect_equal(**condition, names);
  return names;
}

const KeyChoice* choice_for(std::span<const KeyChoice> choices,
                            std::span<const std::string> attributes) {
  const auto is_given = [attributes](const KeyAttribute& key) {
    return std::find(attributes.begin(), attributes.end(), key.name) != attributes.end();
  };
  const auto found =
      std::find_if(choices.begin(), choices.end(), [&is_given](const KeyChoice& choice) {
        return std::all_of(choice.partition_keys.begin(), choice.partition_keys.end(), is_given);
      });
  return found == choices.end() ? nullptr : &*found;
}

}  // namespace stator

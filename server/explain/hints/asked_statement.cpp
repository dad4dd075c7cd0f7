#include "server/explain/hints/asked_statement.h"

#include <algorithm>
#include <vector>

#include "protocol/model/shapes.h"
#include "protocol/partiql/statement_parser.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"

namespace stator {

namespace {

using expr::Operand;

// For a = 1 AND b = 2, collects those attributes that are keys of the table.
void collect_key(const expr::Condition& condition, const Table& table, std::vector<Member>& key) {
  if (condition.kind == expr::Condition::Kind::And) {
    for (const expr::Condition* child : condition.children) collect_key(*child, table, key);
    return;
  }
  if (condition.kind != expr::Condition::Kind::Compare ||
      condition.comparator != expr::Comparator::Equal)
    return;
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const Operand& attribute = condition.operands[side];
    const Operand& constant = condition.operands[1 - side];
    if (attribute.kind != Operand::Kind::Attribute || attribute.path.size() != 1 ||
        constant.kind != Operand::Kind::Constant || !table.is_key(attribute.path.front().name))
      continue;
    key.push_back({attribute.path.front().name, constant.value});
  }
}

}  // namespace

const partiql::Lowered* asked_statement(const HintInput& hinted, Arena& arena) {
  if (hinted.text(RecentRequest::Part::Operation) != "ExecuteStatement" || !hinted.is_asked_whole ||
      !check_types(*hinted.asked, model::kExecuteStatementInput))
    return nullptr;
  const JsonNode* const text = hinted.member("Statement");
  if (text == nullptr) return nullptr;
  std::vector<Value> values;
  if (const JsonNode* const parameters = hinted.member("Parameters")) {
    for (const JsonNode& parameter : parameters->elements()) {
      const auto value = decode_parameter(parameter, Wording(), arena);
      if (!value) return nullptr;
      values.push_back(*value);
    }
  }
  const auto statement = partiql::parse_statement(text->text(), arena);
  if (!statement) return nullptr;
  const std::span<const Value> parameters = arena.copy(std::span<const Value>(values));
  const auto lowered = partiql::lower(**statement, parameters, arena);
  return lowered ? *lowered : nullptr;
}

std::optional<Item> item_of_statement(const HintInput& hinted, const partiql::Lowered& statement,
                                      Arena& arena) {
  if (hinted.table == nullptr || statement.where == nullptr || statement.is_read())
    return std::nullopt;
  std::vector<Member> key;
  collect_key(*statement.where, *hinted.table, key);
  std::sort(key.begin(), key.end(),
            [](const Member& a, const Member& b) { return a.name < b.name; });
  return hinted.tables.find_item(*hinted.table, key, /*is_item=*/false, arena);
}

}  // namespace stator

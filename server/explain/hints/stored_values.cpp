#include "server/explain/hints/stored_values.h"

#include "protocol/shapes/attribute_value.h"
#include "protocol/values/shown_value.h"
#include "server/explain/hints/hints.h"

namespace stator {

namespace {

constexpr std::size_t kValueBytesMax = 60;

}  // namespace

std::optional<Item> stored_item(const TableView& tables, const Table& table,
                                const JsonNode* attributes, bool is_item, Arena& arena) {
  if (attributes == nullptr || attributes->kind() != JsonNode::Kind::Object) return std::nullopt;
  for (const JsonMember& member : attributes->members())
    if (!check_value_types(member.value, ValuePlace::Element)) return std::nullopt;
  const auto decoded = decode_item(*attributes, Wording(), arena);
  if (!decoded) return std::nullopt;
  return tables.find_item(table, *decoded, is_item, arena);
}

std::string value_text(const Value& value) { return shown_value(value, kValueBytesMax); }

std::string plain_path(expr::Path path) {
  std::string text;
  for (const expr::PathElement& step : path) {
    if (step.is_index) {
      text.append("[").append(std::to_string(step.index)).append("]");
    } else {
      text.append(text.empty() ? "" : ".").append(step.name);
    }
  }
  return text;
}

}  // namespace stator

#include "server/explain/requests/touched_items.h"

#include <algorithm>
#include <optional>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/values/value.h"
#include "server/explain/requests/cut_json.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

bool is_object(const JsonNode* node) {
  return node != nullptr && node->kind() == JsonNode::Kind::Object;
}

// The key attributes of `item`, in the order of the schema; empty if one is missing.
std::string key_json_of(const Table& table, const Item& item) {
  std::string json = "{";
  const auto add = [&](const KeyAttribute& attribute) {
    const auto found = std::find_if(item.begin(), item.end(),
                                    [&](const auto& each) { return each.name == attribute.name; });
    if (found == item.end()) return false;
    if (json.size() > 1) json += ',';
    append_json_string(json, attribute.name);
    json += ':';
    append_value_json(json, found->value);
    return true;
  };
  const bool is_whole = add(table.partition_key) && (!table.sort_key || add(*table.sort_key));
  return is_whole ? json + "}" : std::string();
}

// `action` has TableName, and Key or Item.
TouchedItem item_of(const JsonNode& action, const FindTable& find, Arena& arena) {
  TouchedItem touched;
  const JsonNode* const name = action.find("TableName");
  if (name == nullptr || name->kind() != JsonNode::Kind::String) return touched;
  touched.table = name->text();
  const JsonNode* attributes = action.find("Key");
  if (attributes == nullptr) attributes = action.find("Item");
  const Table* const table = find(touched.table);
  if (table == nullptr || !is_object(attributes)) return touched;
  for (const JsonMember& member : attributes->members()) {
    if (!check_value_types(member.value, ValuePlace::Element)) return touched;
  }
  const auto item = decode_item(*attributes, Wording(), arena);
  if (item) touched.key_json = key_json_of(*table, *item);
  return touched;
}

}  // namespace

std::string touched_key_json(const Table& table, const Item& item) {
  return key_json_of(table, item);
}

std::vector<TouchedItem> touched_items(const RecentRequest& request, const FindTable& find) {
  const std::string_view asked = request.text(Part::Asked);
  std::string body = request.is_whole(Part::Asked) ? std::string(asked) : closed_json(asked);
  Arena arena;
  const auto read = read_json(body, arena);
  if (!read || !is_object(&*read)) return {};
  const JsonNode* const actions = read->find("TransactItems");
  if (actions == nullptr) {
    TouchedItem one = item_of(*read, find, arena);
    if (one.key_json.empty()) return {};
    return {std::move(one)};
  }
  std::vector<TouchedItem> touched;
  if (actions->kind() != JsonNode::Kind::Array) return touched;
  for (const JsonNode& action : actions->elements()) {
    const bool has_one = is_object(&action) && action.members().size() == 1 &&
                         is_object(&action.members().front().value);
    touched.push_back(has_one ? item_of(action.members().front().value, find, arena)
                              : TouchedItem());
  }
  return touched;
}

}  // namespace stator

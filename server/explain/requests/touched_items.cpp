#include "server/explain/requests/touched_items.h"

#include <algorithm>
#include <optional>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/values/item_size.h"
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

// `attributes` is a key, or a whole item.
TouchedItem item_with(std::string_view table_name, const JsonNode* attributes, bool is_whole_item,
                      const FindTable& find, Arena& arena) {
  TouchedItem touched;
  touched.table = table_name;
  const Table* const table = find(touched.table);
  if (table == nullptr || !is_object(attributes)) return touched;
  for (const JsonMember& member : attributes->members()) {
    if (!check_value_types(member.value, ValuePlace::Element)) return touched;
  }
  const auto item = decode_item(*attributes, Wording(), arena);
  if (!item) return touched;
  touched.key_json = key_json_of(*table, *item);
  if (is_whole_item) touched.size_bytes = item_size_bytes(*item);
  return touched;
}

// `action` has Key or Item.
TouchedItem item_in(std::string_view table_name, const JsonNode& action, const FindTable& find,
                    Arena& arena) {
  const JsonNode* const key = action.find("Key");
  return item_with(table_name, key != nullptr ? key : action.find("Item"),
                   /*is_whole_item=*/key == nullptr, find, arena);
}

// `action` has TableName, too.
TouchedItem item_of(const JsonNode& action, const FindTable& find, Arena& arena) {
  const JsonNode* const name = action.find("TableName");
  if (name == nullptr || name->kind() != JsonNode::Kind::String) return {};
  return item_in(name->text(), action, find, arena);
}

// The action in an object that has nothing else, such as {"Put": {...}}; else nullptr.
const JsonNode* only_action(const JsonNode& node) {
  const bool has_one =
      is_object(&node) && node.members().size() == 1 && is_object(&node.members().front().value);
  return has_one ? &node.members().front().value : nullptr;
}

std::vector<TouchedItem> items_of_transaction(const JsonNode& actions, const FindTable& find,
                                              Arena& arena) {
  std::vector<TouchedItem> touched;
  if (actions.kind() != JsonNode::Kind::Array) return touched;
  for (const JsonNode& each : actions.elements()) {
    const JsonNode* const action = only_action(each);
    touched.push_back(action != nullptr ? item_of(*action, find, arena) : TouchedItem());
  }
  return touched;
}

// `tables` have a list of writes each, or {"Keys": [...]}.
std::vector<TouchedItem> items_of_batch(const JsonNode& tables, const FindTable& find,
                                        Arena& arena) {
  std::vector<TouchedItem> touched;
  if (!is_object(&tables)) return touched;
  for (const auto& [name, part] : tables.members()) {
    const bool is_read = is_object(&part);
    const JsonNode* const list = is_read ? part.find("Keys") : &part;
    if (list == nullptr || list->kind() != JsonNode::Kind::Array) continue;
    for (const JsonNode& each : list->elements()) {
      if (is_read) {
        touched.push_back(item_with(name, &each, /*is_whole_item=*/false, find, arena));
      } else if (const JsonNode* const action = only_action(each)) {
        touched.push_back(item_in(name, *action, find, arena));
      }
    }
  }
  return touched;
}

std::vector<TouchedItem> items_in(const JsonNode& body, const FindTable& find, Arena& arena) {
  if (const JsonNode* const actions = body.find("TransactItems"))
    return items_of_transaction(*actions, find, arena);
  if (const JsonNode* const tables = body.find("RequestItems"))
    return items_of_batch(*tables, find, arena);
  TouchedItem one = item_of(body, find, arena);
  if (one.key_json.empty()) return {};
  return {std::move(one)};
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
  std::vector<TouchedItem> touched = items_in(*read, find, arena);
  // The last item of a cut body may be cut, too.
  if (!request.is_whole(Part::Asked)) {
    for (TouchedItem& item : touched) item.size_bytes.reset();
  }
  return touched;
}

}  // namespace stator

#include "server/templates/drafts/plain_items.h"

#include <string>

#include "protocol/json/json_writer.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

void append_plain(std::string& out, const Node& node);

void append_members(std::string& out, const Node& map) {
  out += '{';
  bool is_first = true;
  for (const Member& member : map.members()) {
    if (!is_first) out += ',';
    is_first = false;
    append_json_string(out, member.name);
    out += ':';
    append_plain(out, member.value);
  }
  out += '}';
}

void append_plain_list(std::string& out, const Node& list) {
  out += "{\"L\":[";
  bool is_first = true;
  for (const Node& element : list.elements()) {
    if (!is_first) out += ',';
    is_first = false;
    append_plain(out, element);
  }
  out += "]}";
}

// At most kDepthMax deep.
void append_plain(std::string& out, const Node& node) {
  if (node.is_list()) return append_plain_list(out, node);
  if (node.is_map()) {
    out += "{\"M\":";
    append_members(out, node);
    out += '}';
    return;
  }
  const std::string_view text = node.text();
  const bool is_string = node.is_quoted();
  if (!is_string && node.is_null()) {
    out += "{\"NULL\":true}";
  } else if (!is_string && (text == "true" || text == "false")) {
    out.append("{\"BOOL\":").append(text).append("}");
  } else if (!is_string && is_json_number(text)) {
    out.append("{\"N\":\"").append(text).append("\"}");
  } else {
    out += "{\"S\":";
    append_json_string(out, text);
    out += '}';
  }
}

}  // namespace

void add_plain_items(TableDraft& draft, const Node& items) {
  if (!items.is_list()) return draft.mistake(items.spot(), "data", "it must be a list of items");
  for (const Node& item : items.elements()) {
    if (!item.is_map()) return draft.mistake(item.spot(), "data", "an item is an object");
    append_members(draft.table().items.emplace_back(), item);
  }
}

}  // namespace stator::templates

#include "server/data/recognition/type_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_writer.h"
#include "protocol/values/value.h"
#include "server/data/recognition/item_form.h"

namespace stator::data {

namespace {

using Kind = JsonNode::Kind;

struct SmallName {
  std::string_view small;
  std::string_view type;
};

constexpr std::array<SmallName, 17> kSmallNames{{{"s", "S"},
                                                 {"n", "N"},
                                                 {"b", "B"},
                                                 {"sS", "SS"},
                                                 {"nS", "NS"},
                                                 {"bS", "BS"},
                                                 {"ss", "SS"},
                                                 {"ns", "NS"},
                                                 {"bs", "BS"},
                                                 {"m", "M"},
                                                 {"l", "L"},
                                                 {"bOOL", "BOOL"},
                                                 {"bool", "BOOL"},
                                                 {"nULL", "NULL"},
                                                 {"null", "NULL"},
                                                 {"nULLValue", "NULL"},
                                                 {"nullValue", "NULL"}}};

// The type of an attribute value {"s":…}, also if its name is the type's own; empty if it is none.
std::string_view type_of(const JsonNode& value) {
  if (value.kind() != Kind::Object || value.members().size() != 1) return {};
  const std::string_view name = value.members().front().name;
  if (find_type(name)) return name;
  const auto* const found =
      std::find_if(kSmallNames.begin(), kSmallNames.end(),
                   [name](const SmallName& known) { return known.small == name; });
  return found == kSmallNames.end() ? std::string_view() : found->type;
}

void append_value(std::string& out, const JsonNode& value) {
  const std::string_view type = type_of(value);
  if (type.empty()) return append_node_json(out, value);
  const JsonNode& content = value.members().front().value;
  out.append("{\"").append(type).append("\":");
  if (type == "M" && content.kind() == Kind::Object) {
    append_with_types(out, content);
  } else if (type == "L" && content.kind() == Kind::Array) {
    out += '[';
    for (const JsonNode& element : content.elements()) {
      if (out.back() != '[') out += ',';
      append_value(out, element);
    }
    out += ']';
  } else {
    append_node_json(out, content);
  }
  out += '}';
}

}  // namespace

bool has_small_types(const JsonNode& object, const std::vector<std::string>& keys) {
  if (object.kind() != Kind::Object || !has_keys(object, keys)) return false;
  const auto members = object.members();
  return std::all_of(members.begin(), members.end(),
                     [](const JsonMember& member) { return !type_of(member.value).empty(); });
}

void append_with_types(std::string& out, const JsonNode& object) {
  char before = '{';
  for (const JsonMember& member : object.members()) {
    out += before;
    append_json_string(out, member.name);
    out += ':';
    append_value(out, member.value);
    before = ',';
  }
  out += before == '{' ? "{}" : "}";
}

}  // namespace stator::data

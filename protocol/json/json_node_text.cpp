#include "protocol/json/json_node_text.h"

#include "protocol/json/json_writer.h"

namespace stator {

namespace {

using Kind = JsonNode::Kind;

void append_array(std::string& out, const JsonNode& array) {
  out += '[';
  bool is_first = true;
  for (const JsonNode& element : array.elements()) {
    if (!is_first) out += ',';
    is_first = false;
    append_node_json(out, element);
  }
  out += ']';
}

void append_object(std::string& out, const JsonNode& object) {
  out += '{';
  bool is_first = true;
  for (const JsonMember& member : object.members()) {
    if (!is_first) out += ',';
    is_first = false;
    append_json_string(out, member.name);
    out += ':';
    append_node_json(out, member.value);
  }
  out += '}';
}

}  // namespace

void append_node_json(std::string& out, const JsonNode& node) {
  switch (node.kind()) {
    case Kind::Null:
      out += "null";
      return;
    case Kind::False:
      out += "false";
      return;
    case Kind::True:
      out += "true";
      return;
    case Kind::Integer:
    case Kind::Decimal:
      out += node.text();
      return;
    case Kind::String:
      return append_json_string(out, node.text());
    case Kind::Array:
      return append_array(out, node);
    case Kind::Object:
      return append_object(out, node);
  }
}

}  // namespace stator

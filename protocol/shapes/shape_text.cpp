#include "protocol/shapes/shape_text.h"

#include <string_view>

#include "protocol/json/json_writer.h"
#include "protocol/text/utf8.h"

namespace stator {
namespace {

// A string that drops appends beyond its limit.
class BoundedText {
 public:
  explicit BoundedText(std::string& out) : out_(out) {}

  bool is_full() const { return left_bytes_ == 0; }
  void operator+=(char character) { *this += std::string_view(&character, 1); }
  void operator+=(std::string_view text) {
    const bool fits = text.size() <= left_bytes_;
    out_ += fits ? text : utf8_prefix(text, left_bytes_);
    left_bytes_ = fits ? left_bytes_ - text.size() : 0;
  }

 private:
  std::string& out_;
  std::size_t left_bytes_ = kShownBytesMax;
};

void append_lower_first(BoundedText& out, std::string_view name) {
  const char first = name.front();
  out += first >= 'A' && first <= 'Z' ? static_cast<char>(first | 0x20) : first;
  out += name.substr(1);
}

void print_value(BoundedText& out, const JsonNode& node, const TypeSpec& type);

const TypeSpec& element_of(const TypeSpec& type) {
  return type.element == nullptr ? kStringType : *type.element;
}

void print_list(BoundedText& out, const JsonNode& node, const TypeSpec& type) {
  out += '[';
  bool first = true;
  for (const JsonNode& element : node.elements()) {
    if (out.is_full()) return;
    if (!first) out += ", ";
    first = false;
    print_value(out, element, element_of(type));
  }
  out += ']';
}

void print_map(BoundedText& out, const JsonNode& node, const TypeSpec& type) {
  out += '{';
  bool first = true;
  for (const JsonMember& member : node.members()) {
    if (out.is_full()) return;
    if (!first) out += ", ";
    first = false;
    out += member.name;
    out += '=';
    print_value(out, member.value, element_of(type));
  }
  out += '}';
}

void print_structure(BoundedText& out, const JsonNode& node, const TypeSpec& type) {
  out += type.name;
  out += '(';
  bool first = true;
  for (const FieldSpec& field : type.fields) {
    if (!first) out += ", ";
    first = false;
    append_lower_first(out, field.name);
    out += '=';
    const JsonNode* value = node.find(field.name);
    if (value == nullptr) {
      out += "null";
    } else {
      print_value(out, *value, *field.type);
    }
  }
  out += ')';
}

// No client can depend on the text of structures: the service's own varies.
void print_value(BoundedText& out, const JsonNode& node, const TypeSpec& type) {
  switch (node.kind()) {
    case JsonNode::Kind::Null:
      out += "null";
      return;
    case JsonNode::Kind::True:
    case JsonNode::Kind::False:
      out += std::string_view(boolean_of(node) ? "true" : "false");
      return;
    case JsonNode::Kind::Integer:
    case JsonNode::Kind::Decimal:
      out += std::to_string(integer_of(node));
      return;
    case JsonNode::Kind::String:
      out += node.text();
      return;
    case JsonNode::Kind::Array:
      return print_list(out, node, type);
    case JsonNode::Kind::Object:
      return type.kind == TypeSpec::Kind::Structure ? print_structure(out, node, type)
                                                    : print_map(out, node, type);
  }
}

// Stops once `out` has `end_bytes`.
void append_json_until(std::string& out, const JsonNode& node, std::size_t end_bytes) {
  if (out.size() >= end_bytes) return;
  switch (node.kind()) {
    case JsonNode::Kind::String:
      return append_json_string(out, utf8_prefix(node.text(), end_bytes - out.size()));
    case JsonNode::Kind::Array: {
      out += '[';
      for (const JsonNode& element : node.elements()) {
        if (out.size() >= end_bytes) return;
        if (out.back() != '[') out += ',';
        append_json_until(out, element, end_bytes);
      }
      out += ']';
      return;
    }
    case JsonNode::Kind::Object: {
      out += '{';
      for (const JsonMember& member : node.members()) {
        if (out.size() >= end_bytes) return;
        if (out.back() != '{') out += ',';
        append_json_string(out, utf8_prefix(member.name, end_bytes - out.size()));
        out += ':';
        append_json_until(out, member.value, end_bytes);
      }
      out += '}';
      return;
    }
    case JsonNode::Kind::Null:
    case JsonNode::Kind::True:
    case JsonNode::Kind::False:
    case JsonNode::Kind::Integer:
    case JsonNode::Kind::Decimal:
      break;
  }
  append_printed(out, node, kStringType);
}

}  // namespace

void append_printed(std::string& out, const JsonNode& node, const TypeSpec& type) {
  BoundedText shown(out);
  print_value(shown, node, type);
}

void append_json(std::string& out, const JsonNode& node) {
  append_json_until(out, node, out.size() + kShownBytesMax);
}

}  // namespace stator

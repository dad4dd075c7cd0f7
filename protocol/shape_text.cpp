#include "protocol/shape_text.h"

#include <array>
#include <cstring>

#include "protocol/json_writer.h"

namespace stator {
namespace {

// Counts what is printed to it.
struct PrintedSize {
  void operator+=(char /*character*/) { ++bytes; }
  void operator+=(std::string_view text) { bytes += text.size(); }

  std::size_t bytes = 0;
};

// Appends what is printed to it, which is many small pieces, in large ones.
class Printed {
 public:
  explicit Printed(std::string& out) : out_(out) {}
  ~Printed() { flush(); }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  void operator+=(char character) {
    if (size_ == piece_.size()) flush();
    piece_[size_++] = character;
  }
  void operator+=(std::string_view text) {
    if (text.size() > piece_.size() - size_) {
      flush();
      if (text.size() > piece_.size()) {
        out_ += text;
        return;
      }
    }
    std::memcpy(piece_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }

 private:
  void flush() {
    out_.append(piece_.data(), size_);
    size_ = 0;
  }

  std::string& out_;
  std::size_t size_ = 0;
  std::array<char, 4096> piece_;
};

template <class Out>
void append_lower_first(Out& out, std::string_view name) {
  const char first = name.front();
  out += first >= 'A' && first <= 'Z' ? static_cast<char>(first | 0x20) : first;
  out += name.substr(1);
}

// The value as the service's Java prints it. Nobody can depend on it for structures (the service
// itself varies).
template <class Out>
void print_value(Out& out, const JsonNode& node, const TypeSpec& type) {
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
    case JsonNode::Kind::Array: {
      out += '[';
      bool first = true;
      for (const JsonNode& element : node.elements()) {
        if (!first) out += ", ";
        first = false;
        print_value(out, element, type.element == nullptr ? kStringType : *type.element);
      }
      out += ']';
      return;
    }
    case JsonNode::Kind::Object:
      break;
  }
  if (type.kind != TypeSpec::Kind::Structure) {
    out += '{';
    bool first = true;
    for (const JsonMember& member : node.members()) {
      if (!first) out += ", ";
      first = false;
      out += member.name;
      out += '=';
      print_value(out, member.value, type.element == nullptr ? kStringType : *type.element);
    }
    out += '}';
    return;
  }
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

}  // namespace

std::size_t printed_size_bytes(const JsonNode& node, const TypeSpec& type) {
  PrintedSize size;
  print_value(size, node, type);
  return size.bytes;
}

void append_printed(std::string& out, const JsonNode& node, const TypeSpec& type) {
  Printed printed(out);
  print_value(printed, node, type);
}

void append_json(std::string& out, const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::String:
      return append_json_string(out, node.text());
    case JsonNode::Kind::Array: {
      out += '[';
      for (const JsonNode& element : node.elements()) {
        if (out.back() != '[') out += ',';
        append_json(out, element);
      }
      out += ']';
      return;
    }
    case JsonNode::Kind::Object: {
      out += '{';
      for (const JsonMember& member : node.members()) {
        if (out.back() != '{') out += ',';
        append_json_string(out, member.name);
        out += ':';
        append_json(out, member.value);
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

}  // namespace stator

#include "server/data/transfer/json_text.h"

#include <algorithm>
#include <charconv>

#include "protocol/json/json_writer.h"
#include "protocol/number/number.h"
#include "protocol/text/base64.h"

namespace stator::data {

namespace {

using Kind = JsonNode::Kind;

template <class Elements, class Append>
void append_array(std::string& out, const Elements& elements, const Append& append) {
  char before = '[';
  for (const auto& element : elements) {
    out += before;
    append(element);
    before = ',';
  }
  out += before == '[' ? "[]" : "]";
}

template <class Members, class Append>
void append_object(std::string& out, const Members& members, const Append& append) {
  char before = '{';
  for (const auto& member : members) {
    out += before;
    append_json_string(out, member.name);
    out += ':';
    append(member.value);
    before = ',';
  }
  out += before == '{' ? "{}" : "}";
}

// The attribute type for plain JSON of that kind.
std::string_view type_of(Kind kind) {
  switch (kind) {
    case Kind::Null:
      return "NULL";
    case Kind::False:
    case Kind::True:
      return "BOOL";
    case Kind::Integer:
    case Kind::Decimal:
      return "N";
    case Kind::String:
      return "S";
    case Kind::Array:
      return "L";
    case Kind::Object:
      break;
  }
  return "M";
}

bool is_typed_value(const JsonNode& node) {
  if (node.kind() != Kind::Object || node.members().size() != 1) return false;
  const JsonMember& member = node.members().front();
  const auto type = find_type(member.name);
  if (!type) return false;
  const Kind kind = member.value.kind();
  switch (*type) {
    case Type::S:
    case Type::N:
    case Type::B:
      return kind == Kind::String;
    case Type::Bool:
    case Type::Null:
      return kind == Kind::True || kind == Kind::False;
    case Type::M:
      return kind == Kind::Object;
    default:
      return kind == Kind::Array;
  }
}

class PlainWriter {
 public:
  PlainWriter(std::string& out, PlainLosses& losses) : out_{out}, losses_{losses} {}

  void value(const Value& value) {
    switch (value.type()) {
      case Type::Null:
        out_ += "null";
        return;
      case Type::Bool:
        out_ += value.truth() ? "true" : "false";
        return;
      case Type::L:
        return append_array(out_, value.elements(),
                            [this](const Value& element) { this->value(element); });
      case Type::M:
        return map(value.members());
      case Type::SS:
      case Type::NS:
      case Type::BS:
        ++losses_.sets;
        return append_array(out_, value.set_elements(), [&](std::string_view element) {
          scalar(value.type() == Type::SS   ? Type::S
                 : value.type() == Type::NS ? Type::N
                                            : Type::B,
                 element);
        });
      default:
        losses_.binaries += value.type() == Type::B ? 1 : 0;
        return scalar(value.type(), value.bytes());
    }
  }

  void map(std::span<const Member> members) {
    append_object(out_, members, [this](const Value& value) { this->value(value); });
  }

 private:
  void scalar(Type type, std::string_view bytes) {
    if (type == Type::N) {
      append_number_text(out_, bytes);
    } else if (type == Type::S) {
      append_json_string(out_, bytes);
    } else {
      out_ += '"';
      append_base64(out_, bytes);
      out_ += '"';
    }
  }

  std::string& out_;
  PlainLosses& losses_;
};

}  // namespace

const JsonNode* member_in(const JsonNode& object, std::string_view name, Kind kind) {
  const JsonNode* const member = object.find(name);
  return member != nullptr && member->kind() == kind ? member : nullptr;
}

bool is_true(const JsonNode& object, std::string_view name) {
  return member_in(object, name, Kind::True) != nullptr;
}

std::string_view text_in(const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  return member != nullptr && member->kind() == Kind::String ? member->text() : "";
}

std::string_view number_text_in(const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  if (member == nullptr) return {};
  const Kind kind = member->kind();
  const bool has_text = kind == Kind::Integer || kind == Kind::Decimal || kind == Kind::String;
  return has_text ? member->text() : "";
}

std::uint64_t count_in(const JsonNode& object, std::string_view name) {
  const std::string_view text = number_text_in(object, name);
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

// Recursive; read_json() bounds the depth.
void append_typed_value(std::string& out, const JsonNode& node) {
  out.append("{\"").append(type_of(node.kind())).append("\":");
  switch (node.kind()) {
    case Kind::Null:
    case Kind::True:
      out += "true";
      break;
    case Kind::False:
      out += "false";
      break;
    case Kind::Integer:
    case Kind::Decimal:
    case Kind::String:
      append_json_string(out, node.text());
      break;
    case Kind::Array:
      append_array(out, node.elements(),
                   [&out](const JsonNode& element) { append_typed_value(out, element); });
      break;
    case Kind::Object:
      append_typed_item(out, node);
      break;
  }
  out += '}';
}

void append_typed_item(std::string& out, const JsonNode& object) {
  append_object(out, object.members(),
                [&out](const JsonNode& value) { append_typed_value(out, value); });
}

bool is_typed_item(const JsonNode& node) {
  if (node.kind() != Kind::Object || node.members().empty()) return false;
  const auto members = node.members();
  return std::all_of(members.begin(), members.end(),
                     [](const JsonMember& member) { return is_typed_value(member.value); });
}

void append_item_line(std::string& out, Item item) {
  out += "{\"Item\":";
  append_item_json(out, item);
  out += '}';
}

void append_plain_item(std::string& out, Item item, PlainLosses& losses) {
  PlainWriter(out, losses).map(item);
}

void append_plain_value(std::string& out, const Value& value, PlainLosses& losses) {
  PlainWriter(out, losses).value(value);
}

void append_cell(std::string& out, const Value& value) {
  if (value.type() == Type::S) {
    out += value.bytes();
    return;
  }
  std::string typed;
  append_value_json(typed, value);
  // {"TYPE":…}
  std::string_view text = typed;
  text.remove_prefix(std::min(text.size(), text.find(':') + 1));
  text.remove_suffix(1);
  if (value.type() == Type::N || value.type() == Type::B) text = text.substr(1, text.size() - 2);
  out += text;
}

void append_value_of_cell(std::string& out, std::string_view type, std::string_view cell) {
  out.append("{\"").append(type).append("\":");
  if (type == "S" || type == "N" || type == "B") {
    append_json_string(out, cell);
  } else {
    out += cell;
  }
  out += '}';
}

}  // namespace stator::data

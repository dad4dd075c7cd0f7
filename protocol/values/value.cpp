// Names of types, equality, lookup and the wire form of values.
#include "protocol/values/value.h"

#include <algorithm>
#include <array>

#include "protocol/json/json_writer.h"
#include "protocol/number/number.h"
#include "protocol/text/base64.h"

namespace stator {
namespace {

constexpr std::array<std::string_view, 10> kTypeNames = {"S",  "N",  "B",  "BOOL", "NULL",
                                                         "SS", "NS", "BS", "L",    "M"};
static_assert(kTypeNames.size() == static_cast<std::size_t>(Type::M) + 1);

// Appends the bytes of type S, N or B in quotes.
void append_scalar(std::string& out, Type type, std::string_view bytes) {
  if (type == Type::S) {
    append_json_string(out, bytes);
    return;
  }
  out.push_back('"');
  if (type == Type::N) {
    append_number_text(out, bytes);
  } else {
    append_base64(out, bytes);
  }
  out.push_back('"');
}

void append_set(std::string& out, const Value& set) {
  const Type element_type = set.type() == Type::SS   ? Type::S
                            : set.type() == Type::NS ? Type::N
                                                     : Type::B;
  out.append(set.type() == Type::SS   ? R"({"SS":[)"
             : set.type() == Type::NS ? R"({"NS":[)"
                                      : R"({"BS":[)");
  bool is_first = true;
  for (const std::string_view element : set.set_elements()) {
    if (!is_first) out.push_back(',');
    is_first = false;
    append_scalar(out, element_type, element);
  }
  out.append("]}");
}

}  // namespace

std::string_view type_name(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<Type> find_type(std::string_view name) {
  switch (name.size()) {
    case 1:
      switch (name[0]) {
        case 'S':
          return Type::S;
        case 'N':
          return Type::N;
        case 'B':
          return Type::B;
        case 'L':
          return Type::L;
        case 'M':
          return Type::M;
        default:
          return std::nullopt;
      }
    case 2:
      if (name[1] != 'S') return std::nullopt;
      switch (name[0]) {
        case 'S':
          return Type::SS;
        case 'N':
          return Type::NS;
        case 'B':
          return Type::BS;
        default:
          return std::nullopt;
      }
    case 4:
      if (name == "BOOL") return Type::Bool;
      if (name == "NULL") return Type::Null;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::size_t Value::element_count() const {
  if (!holds_runs_) return elements().size();
  std::size_t count = 0;
  for (const Value& element : elements()) count += element.is_run() ? element.run().count : 1;
  return count;
}

std::size_t Value::member_count() const {
  if (!holds_runs_) return members().size();
  std::size_t count = 0;
  for (const Member& member : members())
    count += member.value.is_run() ? member.value.run().count : 1;
  return count;
}

const Value* Value::find_element(std::uint64_t index) const {
  if (!holds_runs_) return index < size_ ? &elements()[index] : nullptr;
  for (const Value& element : elements()) {
    if (!element.is_run()) {
      if (index-- == 0) return &element;
      continue;
    }
    assert(index >= element.run().count);
    index -= element.run().count;
  }
  return nullptr;
}

const Value* find_attribute(Item item, std::string_view name) {
  const auto found = std::lower_bound(
      item.begin(), item.end(), name,
      [](const Member& member, std::string_view wanted) { return member.name < wanted; });
  return found != item.end() && found->name == name ? &found->value : nullptr;
}

bool operator==(const Value& a, const Value& b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::S:
    case Type::N:
    case Type::B:
      return a.bytes() == b.bytes();
    case Type::Bool:
      return a.truth() == b.truth();
    case Type::Null:
      return true;
    case Type::SS:
    case Type::NS:
    case Type::BS:
      return std::ranges::equal(a.set_elements(), b.set_elements());
    case Type::L:
      assert(!a.holds_runs() && !b.holds_runs());
      return std::ranges::equal(a.elements(), b.elements());
    case Type::M:
      assert(!a.holds_runs() && !b.holds_runs());
      return std::ranges::equal(a.members(), b.members(), [](const Member& x, const Member& y) {
        return x.name == y.name && x.value == y.value;
      });
  }
  assert(false);
  return false;
}

void append_value_json(std::string& out, const Value& value) {
  switch (value.type()) {
    case Type::S:
      out.append(R"({"S":)");
      append_json_string(out, value.bytes());
      break;
    case Type::N:
      out.append(R"({"N":)");
      append_scalar(out, Type::N, value.bytes());
      break;
    case Type::B:
      out.append(R"({"B":)");
      append_scalar(out, Type::B, value.bytes());
      break;
    case Type::Bool:
      out.append(value.truth() ? R"({"BOOL":true)" : R"({"BOOL":false)");
      break;
    case Type::Null:
      out.append(R"({"NULL":true)");
      break;
    case Type::SS:
    case Type::NS:
    case Type::BS:
      append_set(out, value);
      return;
    case Type::L: {
      out.append(R"({"L":[)");
      bool is_first = true;
      for (const Value& element : value.elements()) {
        if (!is_first) out.push_back(',');
        is_first = false;
        append_value_json(out, element);
      }
      out.push_back(']');
      break;
    }
    case Type::M:
      out.append(R"({"M":)");
      append_item_json(out, value.members());
      break;
  }
  out.push_back('}');
}

void append_item_json(std::string& out, Item item) {
  out.push_back('{');
  bool is_first = true;
  for (const Member& attribute : item) {
    if (!is_first) out.push_back(',');
    is_first = false;
    append_json_string(out, attribute.name);
    out.push_back(':');
    append_value_json(out, attribute.value);
  }
  out.push_back('}');
}

}  // namespace stator

// Cases about JSON, attribute values and numbers.
#include <array>

#include "protocol/json/json_writer.h"
#include "protocol/number/number.h"
#include "protocol/values/item_size.h"
#include "tests/unit/protocol/cases/case_json.h"
#include "tests/unit/protocol/cases/case_kinds.h"

namespace stator::test {
namespace {

using Kind = JsonNode::Kind;

void append_tree(std::string& out, const JsonNode& node);

template <class Range, class Append>
void append_joined(std::string& out, const Range& range, const Append& append) {
  bool is_first = true;
  for (const auto& element : range) {
    if (!is_first) out += ',';
    is_first = false;
    append(element);
  }
}

// The tree as compact JSON; i before integers, d before other numbers.
void append_tree(std::string& out, const JsonNode& node) {
  switch (node.kind()) {
    case Kind::Null:
      out += "null";
      break;
    case Kind::False:
      out += "false";
      break;
    case Kind::True:
      out += "true";
      break;
    case Kind::Integer:
      out.append("i").append(node.text());
      break;
    case Kind::Decimal:
      out.append("d").append(node.text());
      break;
    case Kind::String:
      append_json_string(out, node.text());
      break;
    case Kind::Array:
      out += '[';
      append_joined(out, node.elements(), [&](const JsonNode& each) { append_tree(out, each); });
      out += ']';
      break;
    case Kind::Object:
      out += '{';
      append_joined(out, node.members(), [&](const JsonMember& member) {
        append_json_string(out, member.name);
        append_tree(out += ':', member.value);
      });
      out += '}';
      break;
  }
}

std::string json(std::string input, std::string_view, const CaseFields&) {
  Arena arena;
  const auto node = read_json(input, arena);
  std::string out;
  if (node) append_tree(out, *node);
  return node ? out : "refused";
}

// Step one of reading an attribute value: JSON types, as an element of a list or a member.
std::string value_types(std::string input, std::string_view variant, const CaseFields&) {
  CaseJson json;
  const auto checked = check_value_types(
      json.read(input), variant == "element" ? ValuePlace::Element : ValuePlace::Member);
  return checked ? "ok" : refusal(checked.error(), "", ErrorCode::Serialization);
}

std::string lone_value(std::string input, std::string_view variant, const CaseFields&) {
  CaseJson json;
  const JsonNode& node = json.read(input);
  if (!check_value_types(node, ValuePlace::Element)) return "types that do not fit";
  const auto value = decode_value(node, wording_of(variant), json.arena);
  return value ? "ok" : refusal(value.error());
}

std::string item(std::string input, std::string_view variant, const CaseFields&) {
  CaseJson json;
  const auto decoded = decode_item(json.read(input), wording_of(variant), json.arena);
  if (!decoded) return refusal(decoded.error());
  const std::string once = json_of(*decoded);
  const std::string twice = json_of(json.item(once));
  return once == twice ? once : "printed as " + once + ", and that as " + twice;
}

// Step two: alone, in a list, in a map and in an item, where an error is the same, without a path.
std::string value(std::string input, std::string_view variant, const CaseFields& fields) {
  const std::string alone = lone_value(input, variant, fields);
  for (const std::string& wrapped : {lone_value("{L:[{S:a}," + input + "]}", variant, fields),
                                     lone_value("{M:{a:{S:a},b:" + input + "}}", variant, fields),
                                     item("{a:{S:a},b:" + input + "}", variant, fields)}) {
    if ((wrapped.starts_with("{") ? "ok" : wrapped) != alone) {
      return "alone: " + alone + ", inside something: " + wrapped;
    }
  }
  return alone;
}

std::string item_size(std::string input, std::string_view, const CaseFields&) {
  CaseJson json;
  return std::to_string(item_size_bytes(json.item(input)));
}

std::string name_of(NumberError error) {
  constexpr std::array kNames = {"fine", "no number", "overflow", "underflow", "too many digits"};
  return kNames.at(static_cast<std::size_t>(error));
}

std::string text_of(const Number& number) {
  std::string out = "x";  // it appends
  append_number_text(out, number);
  return out.substr(1);
}

Number number_of(std::string_view text) {
  Number out;
  if (parse_number(text, NumberRules::Current, out) != NumberError::None) {
    throw std::runtime_error("no number: " + std::string(text));
  }
  return out;
}

std::string number(std::string input, std::string_view variant, const CaseFields&) {
  constexpr Number kBefore{7, 0, false};
  Number out = kBefore;
  const NumberError error =
      parse_number(input, variant == "current" ? NumberRules::Current : NumberRules::Classic, out);
  if (error == NumberError::None) return text_of(out);
  return out == kBefore ? name_of(error) : "refused, but changed";
}

std::string number_bytes(std::string input, std::string_view, const CaseFields&) {
  Arena arena;
  const std::string_view bytes = encode_number(number_of(input), arena);
  std::string same(Number::kOrderedBytesMax, '\0');
  same.resize(encode_number(number_of(input), same.data()));
  if (bytes != same) return "two encodings";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

std::string number_size(std::string input, std::string_view, const CaseFields&) {
  Arena arena;
  return std::to_string(number_size_bytes(encode_number(number_of(input), arena)));
}

std::string number_whole(std::string input, std::string_view, const CaseFields&) {
  Arena arena;
  const auto whole = whole_part(encode_number(number_of(input), arena));
  return whole ? std::to_string(*whole) : "none";
}

std::string sum(std::string input, std::string_view variant, const CaseFields&) {
  const std::vector<std::string> texts = split(input, " + ");
  constexpr Number kBefore{7, 0, false};
  Number out = kBefore;
  const bool is_swapped = variant == "b + a";
  const NumberError error = add_numbers(number_of(texts.at(is_swapped ? 1 : 0)),
                                        number_of(texts.at(is_swapped ? 0 : 1)), out);
  if (error == NumberError::None) return text_of(out);
  return out == kBefore ? name_of(error) : "refused, but changed";
}

constexpr std::array kKinds = {
    CaseKind{"json", "", "", false, json},
    CaseKind{"value types", "element, member", "", false, value_types},
    CaseKind{"value", "classic, bare, enveloped", "", false, value},
    CaseKind{"lone value", "classic, bare, enveloped", "", false, lone_value},
    CaseKind{"item", "classic, bare, enveloped", "", true, item},
    CaseKind{"item size", "", "", false, item_size},
    CaseKind{"number", "current, classic", "", false, number},
    CaseKind{"number bytes", "", "", false, number_bytes},
    CaseKind{"number size", "", "", false, number_size},
    CaseKind{"number whole", "", "", false, number_whole},
    CaseKind{"sum", "a + b, b + a", "", false, sum},
};

}  // namespace

std::span<const CaseKind> value_case_kinds() { return kKinds; }

}  // namespace stator::test

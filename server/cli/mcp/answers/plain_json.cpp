#include "server/cli/mcp/answers/plain_json.h"

#include <cstddef>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_writer.h"

namespace stator::mcp {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kExactDigitsMax = 15;  // a double holds each number of 15 digits

bool is_digit_of_number(char c) { return c >= '0' && c <= '9'; }

// Removes the digits at the begin of `text`; returns how many there were.
std::size_t take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit_of_number(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

// The number of digits from the first to the last that is not 0.
std::size_t significant_digits(std::string_view mantissa) {
  std::size_t count = 0;
  std::size_t zeros = 0;
  for (const char c : mantissa) {
    if (!is_digit_of_number(c)) continue;
    if (c == '0') {
      zeros += count > 0 ? 1 : 0;
      continue;
    }
    count += zeros + 1;
    zeros = 0;
  }
  return count;
}

void append_number(std::string& out, const JsonNode& number) {
  if (is_exact_number(number.text())) {
    out += number.text();
  } else {
    append_json_string(out, number.text());
  }
}

template <class Append>
void append_list(std::string& out, const JsonNode& list, const Append& append) {
  char before = '[';
  for (const JsonNode& element : list.elements()) {
    out += before;
    append(element);
    before = ',';
  }
  out += before == '[' ? "[]" : "]";
}

// Whether the value of that type is plain already.
bool is_plain_of_type(std::string_view type, Kind kind) {
  if (type == "S" || type == "B") return kind == Kind::String;
  if (type == "BOOL") return kind == Kind::True || kind == Kind::False;
  return (type == "SS" || type == "BS") && kind == Kind::Array;
}

// Appends the value after its type. Returns false for a type that does not fit the value.
bool append_of_type(std::string& out, std::string_view type, const JsonNode& value) {
  const Kind kind = value.kind();
  if (is_plain_of_type(type, kind)) {
    append_node_json(out, value);
  } else if (type == "N" && kind == Kind::String) {
    append_number(out, value);
  } else if (type == "NULL") {
    out += "null";
  } else if (type == "M" && kind == Kind::Object) {
    append_plain_attributes(out, value);
  } else if (type == "L" && kind == Kind::Array) {
    append_list(out, value, [&out](const JsonNode& element) { append_plain(out, element); });
  } else if (type == "NS" && kind == Kind::Array) {
    append_list(out, value, [&out](const JsonNode& element) {
      if (element.kind() == Kind::String) return append_number(out, element);
      append_node_json(out, element);
    });
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool is_exact_number(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('-')) rest.remove_prefix(1);
  const bool has_leading_zero = rest.starts_with('0');
  const std::size_t whole = take_digits(rest);
  if (whole == 0 || (has_leading_zero && whole > 1)) return false;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (take_digits(rest) == 0) return false;
  }
  const std::string_view mantissa = text.substr(0, text.size() - rest.size());
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    if (take_digits(rest) == 0) return false;
  }
  return rest.empty() && significant_digits(mantissa) <= kExactDigitsMax;
}

// Recursive, as append_plain_attributes(): read_json() bounds the depth.
void append_plain(std::string& out, const JsonNode& value) {
  const bool is_typed = value.kind() == Kind::Object && value.members().size() == 1;
  const std::size_t size = out.size();
  if (is_typed) {
    const JsonMember& member = value.members().front();
    if (append_of_type(out, member.name, member.value)) return;
    out.resize(size);
  }
  append_node_json(out, value);
}

void append_plain_attributes(std::string& out, const JsonNode& item) {
  if (item.kind() != Kind::Object) return append_node_json(out, item);
  char before = '{';
  for (const JsonMember& member : item.members()) {
    out += before;
    append_json_string(out, member.name);
    out += ':';
    append_plain(out, member.value);
    before = ',';
  }
  out += before == '{' ? "{}" : "}";
}

}  // namespace stator::mcp

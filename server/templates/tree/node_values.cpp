#include "server/templates/tree/node_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "protocol/json/json_writer.h"
#include "protocol/text/ascii_case.h"

namespace stator::templates {
namespace {

bool are_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Takes the digits at the front.
bool take_digits(std::string_view& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  const std::size_t count = std::min(end, text.size());
  text.remove_prefix(count);
  return count > 0;
}

std::optional<std::string> from_base(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc() || stop != end || digits.empty()) return std::nullopt;
  return std::to_string(value);
}

}  // namespace

std::optional<bool> boolean_of(const Node& node) {
  if (!node.is_scalar()) return std::nullopt;
  const std::string word = lower_case(node.text());
  if (word == "true") return true;
  if (word == "false") return false;
  if (node.is_quoted()) return std::nullopt;
  if (word == "yes" || word == "on" || word == "y") return true;
  if (word == "no" || word == "off" || word == "n") return false;
  return std::nullopt;
}

std::optional<std::string> integer_of(const Node& node) {
  std::string_view text = node.text();
  std::string sign;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    if (text.front() == '-') sign = "-";
    text.remove_prefix(1);
  }
  if (!node.is_quoted() && (text.starts_with("0x") || text.starts_with("0X"))) {
    const auto value = from_base(text.substr(2), 16);
    return value ? std::optional(sign.append(*value)) : std::nullopt;
  }
  if (!are_digits(text)) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') {
    if (!node.is_quoted()) {
      const auto value = from_base(text, 8);
      return value ? std::optional(sign.append(*value)) : std::nullopt;
    }
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
  }
  return sign.append(text);
}

bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  if (!take_digits(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

void append_json(std::string& out, const Node& node) {
  switch (node.kind()) {
    case Node::Kind::Nothing:
      out += "null";
      return;
    case Node::Kind::Scalar: {
      const std::string_view text = node.text();
      if (node.is_null()) {
        out += "null";
      } else if (!node.is_quoted() && (text == "true" || text == "false" || is_json_number(text))) {
        out += text;
      } else {
        append_json_string(out, text);
      }
      return;
    }
    case Node::Kind::List:
    case Node::Kind::Map:
      break;
  }
  const bool is_map = node.is_map();
  const std::size_t start = out.size();
  out += is_map ? '{' : '[';
  const auto separate = [&] {
    if (out.size() > start + 1) out += ',';
  };
  for (const Node& element : node.elements()) {
    separate();
    append_json(out, element);
  }
  for (const Member& member : node.members()) {
    separate();
    append_json_string(out, member.name);
    out += ':';
    append_json(out, member.value);
  }
  out += is_map ? '}' : ']';
}

}  // namespace stator::templates

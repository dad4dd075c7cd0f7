#include "server/data/transfer/ion_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "protocol/number/number.h"
#include "protocol/text/base64.h"

namespace stator::data {

namespace {

// Appends text between quotes of the one kind; that kind, backslashes and control characters are
// escaped.
void append_quoted(std::string& out, std::string_view text, char quote) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += quote;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out.append("\\x").append({kDigits[byte >> 4], kDigits[byte & 0xF]});
    } else {
      out += c;
    }
  }
  out += quote;
}

// Letters, digits and underscores. Names with $ may mean a symbol of the system, and keywords a
// value, so both are quoted.
bool is_plain_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kKeywords{"null", "true", "false", "nan"};
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  if (std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end()) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

// A whole number gets a point, because without one it would be an int.
void append_decimal(std::string& out, std::string_view ordered_bytes) {
  const std::size_t begin = out.size();
  append_number_text(out, ordered_bytes);
  if (std::string_view(out).substr(begin).find('.') == std::string_view::npos) out += '.';
}

void append_blob(std::string& out, std::string_view bytes) {
  out += "{{";
  append_base64(out, bytes);
  out += "}}";
}

void append_scalar(std::string& out, Type type, std::string_view bytes) {
  switch (type) {
    case Type::N:
      return append_decimal(out, bytes);
    case Type::B:
      return append_blob(out, bytes);
    default:
      return append_quoted(out, bytes, '"');
  }
}

void append_set(std::string& out, const Value& value) {
  const Type element = value.type() == Type::SS   ? Type::S
                       : value.type() == Type::NS ? Type::N
                                                  : Type::B;
  out.append("$dynamodb_").append(type_name(value.type())).append("::[");
  bool is_first = true;
  for (const std::string_view bytes : value.set_elements()) {
    if (!is_first) out += ',';
    is_first = false;
    append_scalar(out, element, bytes);
  }
  out += ']';
}

// Recursion is as deep as an item may be nested.
void append_value(std::string& out, const Value& value) {
  switch (value.type()) {
    case Type::Bool:
      out += value.truth() ? "true" : "false";
      return;
    case Type::Null:
      out += "null";
      return;
    case Type::SS:
    case Type::NS:
    case Type::BS:
      return append_set(out, value);
    case Type::L: {
      out += '[';
      bool is_first = true;
      for (const Value& element : value.elements()) {
        if (!is_first) out += ',';
        is_first = false;
        append_value(out, element);
      }
      out += ']';
      return;
    }
    case Type::M:
      return append_ion_item(out, value.members());
    default:
      return append_scalar(out, value.type(), value.bytes());
  }
}

}  // namespace

void append_ion_item(std::string& out, Item item) {
  out += '{';
  bool is_first = true;
  for (const Member& member : item) {
    if (!is_first) out += ',';
    is_first = false;
    if (is_plain_name(member.name)) {
      out += member.name;
    } else {
      append_quoted(out, member.name, '\'');
    }
    out += ':';
    append_value(out, member.value);
  }
  out += '}';
}

void append_ion_line(std::string& out, Item item) {
  out.append(kIonVersion).append(" {Item:");
  append_ion_item(out, item);
  out += '}';
}

}  // namespace stator::data

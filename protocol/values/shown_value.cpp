#include "protocol/values/shown_value.h"

#include <algorithm>
#include <string_view>

#include "protocol/number/number.h"
#include "protocol/text/base64.h"
#include "protocol/text/escaped_text.h"
#include "protocol/text/utf8.h"

namespace stator {

namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kBase64Group = 3;  // bytes that become whole characters

std::string shown_string(std::string_view text, std::size_t bytes_max, bool is_cut) {
  const std::string_view begin = utf8_prefix(text, bytes_max);
  is_cut = is_cut || begin.size() < text.size();
  return "\"" + escaped_in_quotes(begin).append(is_cut ? kEllipsis : "\"");
}

std::string shown_binary(std::string_view bytes, std::size_t bytes_max, bool is_cut) {
  std::size_t size = std::min(bytes.size(), bytes_max);
  is_cut = is_cut || size < bytes.size();
  if (is_cut) size -= size % kBase64Group;
  std::string text = "B ";
  append_base64(text, bytes.substr(0, size));
  return text.append(is_cut ? kEllipsis : "");
}

std::string shown(const Value& value, std::size_t bytes_max, bool is_cut) {
  std::string text;
  switch (value.type()) {
    case Type::S:
      return shown_string(value.bytes(), bytes_max, is_cut);
    case Type::B:
      return shown_binary(value.bytes(), bytes_max, is_cut);
    case Type::N:
      append_number_text(text, value.bytes());
      return text;
    case Type::Bool:
      return value.truth() ? "true" : "false";
    case Type::Null:
      return "null";
    default:
      append_value_json(text, value);
      if (text.size() <= bytes_max) return text;
      return std::string(utf8_prefix(text, bytes_max)).append(kEllipsis);
  }
}

}  // namespace

std::string shown_value(const Value& value, std::size_t bytes_max) {
  return shown(value, bytes_max, false);
}

std::string shown_key(const Value& key, bool is_cut) {
  constexpr std::size_t kAll = std::string_view::npos;
  if (key.type() != Type::L) return shown(key, kAll, is_cut);
  std::string text;
  for (const Value& value : key.elements()) {
    const bool is_last = &value == &key.elements().back();
    text.append(text.empty() ? "" : ", ").append(shown(value, kAll, is_cut && is_last));
  }
  return is_cut && !text.ends_with(kEllipsis) ? text.append(", ").append(kEllipsis) : text;
}

}  // namespace stator

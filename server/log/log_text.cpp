// See log_text.h.

#include "server/log/log_text.h"

#include <algorithm>

#include "protocol/text/escaped_text.h"

namespace stator::log {

namespace {

bool is_plain_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"_.:/-,*"}.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string escaped(std::string_view text) { return escaped_text(text); }

std::string field_value(std::string_view text, std::size_t bytes_max) {
  if (text.empty()) return "-";
  const bool is_cut = text.size() > bytes_max;
  if (is_cut) {
    text = text.substr(0, bytes_max);
    // Never cuts within a character.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
      text.remove_suffix(1);
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0x80) text.remove_suffix(1);
  }
  if (!is_cut && is_plain_word(text)) return std::string(text);
  return '"' + escaped_in_quotes(text) + (is_cut ? "...\"" : "\"");
}

}  // namespace stator::log

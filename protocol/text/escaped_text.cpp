#include "protocol/text/escaped_text.h"

#include "protocol/text/utf8.h"

namespace stator {

namespace {

// Decodes the character at the start of `text`. REQUIRES: valid UTF-8.
struct Character {
  char32_t code;
  std::size_t bytes;
};
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) code = (code << 6) | (byte(i) & 0x3FU);
  return {code, bytes};
}

// Control characters, Unicode line ends, and marks and overrides of direction.
bool needs_escape(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
         (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

void append_escape(std::string& out, char32_t code) {
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\t') {
    out += "\\t";
  } else {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(code >> shift) & 15];
  }
}

}  // namespace

std::string escaped_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  if (!is_valid_utf8(text)) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x80) {
        out += '?';
      } else if (needs_escape(byte)) {
        append_escape(out, byte);
      } else {
        out += c;
      }
    }
    return out;
  }
  while (!text.empty()) {
    const auto [code, bytes] = first_of(text);
    if (needs_escape(code)) {
      append_escape(out, code);
    } else {
      out.append(text.substr(0, bytes));
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string escaped_in_quotes(std::string_view text) {
  std::string marked;
  for (const char c : text) {
    if (c == '"' || c == '\\') marked += '\\';
    marked += c;
  }
  return escaped_text(marked);
}

}  // namespace stator

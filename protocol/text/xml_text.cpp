#include "protocol/text/xml_text.h"

#include "protocol/text/utf8.h"

namespace stator {

std::string xml_text(std::string_view text) {
  const bool is_utf8 = is_valid_utf8(text);
  const auto is_shown = [is_utf8](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 ? is_utf8 : byte >= ' ' || c == '\n' || c == '\t';
  };
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += is_shown(c) ? c : '?';
    }
  }
  return out;
}

}  // namespace stator

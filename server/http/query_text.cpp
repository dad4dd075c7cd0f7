#include "server/http/query_text.h"

#include <algorithm>
#include <charconv>

#include "server/http/header_text.h"

namespace stator {

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_encoded = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                            hex_digit(text[i + 2]) >= 0;
    out += is_encoded ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]))
                      : text[i];
    if (is_encoded) i += 2;
  }
  return out;
}

std::string percent_encoded(std::string_view text, std::string_view plain) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  constexpr std::string_view kMarks = "-._~";
  std::string out;
  for (const char c : text) {
    const bool is_letter_or_digit =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_letter_or_digit || kMarks.find(c) != std::string_view::npos ||
        plain.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
  return out;
}

std::string form_decoded(std::string_view text) {
  std::string sent(text);
  std::replace(sent.begin(), sent.end(), '+', ' ');
  return percent_decoded(sent);
}

void for_each_parameter(std::string_view query,
                        const std::function<bool(std::string_view, std::string_view)>& visit) {
  while (!query.empty()) {
    std::string_view value = next_part(query, '&');
    const std::string_view name = next_part(value, '=');
    if (!visit(name, value)) return;
  }
}

bool read_list_limit(std::string_view text, std::size_t& limit) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), limit);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && limit > 0 &&
         limit <= kListLimitMax;
}

}  // namespace stator

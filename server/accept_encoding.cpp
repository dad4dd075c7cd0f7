// See accept_encoding.h.

#include "server/accept_encoding.h"

#include <algorithm>
#include <optional>

#include "server/header_text.h"

namespace stator {

namespace {

constexpr int kQualityMax = 1000;

// "0.8" as 800. Digits beyond the third are read and dropped.
std::optional<int> parse_quality(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  bool is_above_one = false;
  std::size_t i = 0;
  int units = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    units = std::min(units * 10 + (text[i] - '0'), 2);
  }
  is_above_one = units >= 1;
  int thousandths = 0;
  int weight = 100;
  if (i < text.size()) {
    if (text[i] != '.') return std::nullopt;
    for (++i; i < text.size(); ++i) {
      if (text[i] < '0' || text[i] > '9') return std::nullopt;
      thousandths += (text[i] - '0') * weight;
      weight /= 10;
    }
  }
  return is_above_one ? kQualityMax : thousandths;
}

// The q parameter among ";a=b;q=0.5"; 1 when there is none.
std::optional<int> quality_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = trim_blanks(next_part(parameters, ';'));
    if (parameter.size() >= 2 && (parameter[0] == 'q' || parameter[0] == 'Q')) {
      const std::string_view value = trim_blanks(parameter.substr(1));
      if (value.starts_with('=')) return parse_quality(trim_blanks(value.substr(1)));
    }
  }
  return kQualityMax;
}

}  // namespace

Encoding negotiate_encoding(std::string_view accept_encoding) {
  Encoding best = Encoding::Identity;
  int best_quality = 0;
  std::size_t names = 0;
  int star_quality = 0;
  while (!accept_encoding.empty()) {
    std::string_view rest = next_part(accept_encoding, ',');
    const std::string_view name = trim_blanks(next_part(rest, ';'));
    if (name.empty()) continue;
    ++names;
    const auto quality = quality_of(rest);
    if (!quality) continue;
    if (name == "*") {
      star_quality = *quality;
      continue;
    }
    const bool is_gzip = equals_ignoring_case(name, "gzip");
    if (!is_gzip && !equals_ignoring_case(name, "deflate")) continue;
    if (*quality > best_quality) {
      best = is_gzip ? Encoding::Gzip : Encoding::Deflate;
      best_quality = *quality;
    }
  }
  if (names == 1 && star_quality > 0) return Encoding::Gzip;
  return best;
}

}  // namespace stator

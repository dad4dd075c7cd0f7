// See accept_encoding.h.

#include "server/http/accept_encoding.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "server/http/header_text.h"

namespace stator {

namespace {

constexpr double kQualityMax = 1;

// The number after the first `q=` in an entry, wherever it is; 1 if missing or unreadable.
double quality_of(std::string_view entry) {
  for (std::size_t i = 0; i + 1 < entry.size(); ++i) {
    if (to_lower(entry[i]) != 'q' || entry[i + 1] != '=') continue;
    std::string_view rest = entry.substr(i + 2);
    const std::string_view text = trim_blanks(next_part(rest, ';'));
    double quality = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), quality, std::chars_format::fixed);
    if (error == std::errc::result_out_of_range) return kQualityMax;
    if (error != std::errc() || end != text.data() + text.size()) return kQualityMax;
    return std::isfinite(quality) ? std::clamp(quality, 0.0, kQualityMax) : kQualityMax;
  }
  return kQualityMax;
}

struct EncodingPreference {
  Encoding encoding;
  double quality;
};

}  // namespace

Encoding negotiate_encoding(std::string_view accept_encoding) {
  // The best entry of each coding, in header order; then codings for `*`.
  std::array<EncodingPreference, 2> wishes;
  auto end = wishes.begin();
  std::optional<double> others;
  const auto find = [&](Encoding encoding) {
    return std::find_if(wishes.begin(), end,
                        [&](const EncodingPreference& wish) { return wish.encoding == encoding; });
  };
  const auto add = [&](Encoding encoding, double quality) {
    const auto known = find(encoding);
    if (known != end) {
      if (known->quality >= quality) return;
      end = std::move(known + 1, end, known);
    }
    *end++ = {encoding, quality};
  };
  while (!accept_encoding.empty()) {
    const std::string_view entry = next_part(accept_encoding, ',');
    std::string_view rest = entry;
    const std::string_view name = trim_blanks(next_part(rest, ';'));
    if (name == "*") {
      others = std::max(others.value_or(0), quality_of(rest));
    } else if (equals_ignoring_case(name, "gzip")) {
      add(Encoding::Gzip, quality_of(rest));
    } else if (equals_ignoring_case(name, "deflate")) {
      add(Encoding::Deflate, quality_of(rest));
    }
  }
  if (others) {
    for (const Encoding encoding : {Encoding::Gzip, Encoding::Deflate})
      if (find(encoding) == end) add(encoding, *others);
  }
  EncodingPreference best{Encoding::Identity, 0};
  for (auto wish = wishes.begin(); wish != end; ++wish) {
    if (wish->quality > best.quality) best = *wish;
  }
  return best.encoding;
}

}  // namespace stator

// See accept_encoding.h.

#include "server/accept_encoding.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "server/header_text.h"

namespace stator {

namespace {

constexpr double kQualityMax = 1;

// The number behind the first `q=` of an entry, wherever that stands; 1 when there is none, or none
// that can be read.
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

struct Wish {
  Encoding encoding;
  double quality;
};

}  // namespace

Encoding negotiate_encoding(std::string_view accept_encoding) {
  // Those named in the order of the header, then those that `*` stands for.
  std::array<Wish, 2> wishes;
  std::size_t count = 0;
  std::optional<double> others;
  const auto add = [&](Encoding encoding, double quality) {
    const auto end = wishes.begin() + count;
    if (std::any_of(wishes.begin(), end, [&](const Wish& w) { return w.encoding == encoding; }))
      return;
    wishes.at(count++) = {encoding, quality};
  };
  while (!accept_encoding.empty()) {
    const std::string_view entry = next_part(accept_encoding, ',');
    std::string_view rest = entry;
    const std::string_view name = trim_blanks(next_part(rest, ';'));
    if (name == "*") {
      others = quality_of(rest);
    } else if (equals_ignoring_case(name, "gzip")) {
      add(Encoding::Gzip, quality_of(rest));
    } else if (equals_ignoring_case(name, "deflate")) {
      add(Encoding::Deflate, quality_of(rest));
    }
  }
  if (others) {
    add(Encoding::Gzip, *others);
    add(Encoding::Deflate, *others);
  }
  Wish best{Encoding::Identity, 0};
  for (std::size_t i = 0; i < count; ++i) {
    if (wishes.at(i).quality > best.quality) best = wishes.at(i);
  }
  return best.encoding;
}

}  // namespace stator

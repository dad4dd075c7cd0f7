#include "server/cli/output/cells.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "server/data/transfer/json_text.h"
#include "server/log/log_text.h"

namespace stator::client {

namespace {

constexpr std::string_view kEllipsis = "…";

struct Range {
  char32_t first;
  char32_t last;
};

// Blocks of Unicode, coarse: enough for columns that line up.
constexpr std::array<Range, 4> kNoWidth = {
    {{0x0300, 0x036F}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 9> kTwoWide = {{{0x1100, 0x115F},
                                            {0x2E80, 0xA4CF},
                                            {0xAC00, 0xD7A3},
                                            {0xF900, 0xFAFF},
                                            {0xFE30, 0xFE6F},
                                            {0xFF00, 0xFF60},
                                            {0xFFE0, 0xFFE6},
                                            {0x1F300, 0x1FAFF},
                                            {0x20000, 0x3FFFD}}};

template <class Ranges>
bool is_in(const Ranges& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const Range& range) {
    return range.first <= code && code <= range.last;
  });
}

std::size_t width_of(char32_t code) {
  if (is_in(kNoWidth, code)) return 0;
  return is_in(kTwoWide, code) ? 2 : 1;
}

// Calls `take` with each character of valid UTF-8 and the offset of its end, until it returns
// false.
template <class Take>
void for_each_character(std::string_view text, const Take& take) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = bytes == 1 ? lead : lead & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes && at + i < text.size(); ++i)
      code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    at = std::min(at + bytes, text.size());
    if (!take(code, at)) return;
  }
}

std::size_t capped_sum(const std::vector<std::size_t>& natural, std::size_t cap) {
  std::size_t sum = natural.empty() ? 0 : (natural.size() - 1) * kGapWidth;
  for (const std::size_t width : natural) sum += std::min(width, cap);
  return sum;
}

}  // namespace

std::string cell_text(const Value& value) {
  if (value.type() == Type::S) return value.bytes().empty() ? "\"\"" : log::escaped(value.bytes());
  std::string text;
  data::PlainLosses losses;
  data::append_plain_value(text, value, losses);
  return log::escaped(text);
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for_each_character(text, [&width](char32_t code, std::size_t /*end*/) {
    width += width_of(code);
    return true;
  });
  return width;
}

std::string cut_text(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t fitting = 0;  // bytes that leave space for the ellipsis
  bool is_whole = true;
  for_each_character(text, [&](char32_t code, std::size_t end) {
    used += width_of(code);
    if (used + 1 <= width) fitting = end;
    is_whole = used <= width;
    return is_whole;
  });
  if (is_whole) return std::string{text};
  return std::string{text.substr(0, fitting)} + std::string{width > 0 ? kEllipsis : ""};
}

std::vector<std::size_t> fitted_widths(std::vector<std::size_t> natural, std::size_t width) {
  while (natural.size() > 1 && capped_sum(natural, kColumnWidthMin) > width) natural.pop_back();
  if (natural.empty()) return natural;
  std::size_t low = 1;  // fits, or is all that a terminal without space can have
  std::size_t high = *std::max_element(natural.begin(), natural.end());
  while (low < high) {
    const std::size_t middle = std::midpoint(low, high) + (high - low) % 2;
    if (capped_sum(natural, middle) <= width) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  for (std::size_t& column : natural) column = std::min(column, low);
  return natural;
}

}  // namespace stator::client

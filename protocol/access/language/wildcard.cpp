#include "protocol/access/language/wildcard.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/text/ascii_text.h"
#include "protocol/text/utf8.h"

namespace stator::access {
namespace {

// Patterns and texts are compared as bytes if the text is ASCII, else as code points; the wildcards
// of a pattern of code points are its bytes of wildcards.
template <class Char>
using View = std::basic_string_view<Char>;

template <class Char>
constexpr Char as_wildcard(char byte) {
  return static_cast<Char>(sizeof(Char) == 1 ? byte : static_cast<unsigned char>(byte) + 0x110000);
}
template <class Char>
constexpr Char kText = as_wildcard<Char>(kAnyText);
template <class Char>
constexpr Char kCharacter = as_wildcard<Char>(kAnyCharacter);

// Whether a piece without kAnyText fits at the beginning of the text. REQUIRES: it is not longer.
template <class Char>
bool fits_at(View<Char> piece, const Char* text) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] != text[i] && piece[i] != kCharacter<Char>) return false;
  }
  return true;
}

// For each character, the set of places at which a piece has it, as bits. Row 0 is that of
// characters that the piece does not have: the places of its wildcards.
template <class Char>
class PlaceSets {
 public:
  explicit PlaceSets(View<Char> piece) : words_((piece.size() + 63) / 64), sets_(words_) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (piece[i] == kCharacter<Char>) sets_[i / 64] |= bit(i);
    }
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (piece[i] != kCharacter<Char>) sets_[add_row(piece[i]) + i / 64] |= bit(i);
    }
  }

  std::size_t words() const { return words_; }
  const std::uint64_t* of(Char c) const { return sets_.data() + row_of(c); }

 private:
  static std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << (place % 64); }

  // Bytes have a table, code points are looked up.
  static constexpr bool kHasTable = sizeof(Char) == 1;

  std::size_t row_of(Char c) const {
    if constexpr (kHasTable) {
      return table_[static_cast<unsigned char>(c)];
    } else {
      const auto found = rows_.find(c);
      return found == rows_.end() ? 0 : found->second;
    }
  }

  std::size_t add_row(Char c) {
    if (const std::size_t row = row_of(c); row != 0) return row;
    const std::size_t row = sets_.size();
    sets_.resize(row + words_);
    std::copy_n(sets_.begin(), words_, sets_.end() - static_cast<std::ptrdiff_t>(words_));
    if constexpr (kHasTable) {
      table_[static_cast<unsigned char>(c)] = row;
    } else {
      rows_.emplace(c, row);
    }
    return row;
  }

  std::size_t words_;
  std::vector<std::uint64_t> sets_;
  std::array<std::size_t, kHasTable ? 256 : 1> table_{};
  std::map<Char, std::size_t> rows_;
};

// Where a piece first fits, by the method Shift-And: a set of bits has all the prefixes of the
// piece that end at the current character.
template <class Char>
std::optional<std::size_t> find_in_parallel(View<Char> piece, View<Char> text) {
  const PlaceSets<Char> places(piece);
  const std::size_t words = places.words();
  std::vector<std::uint64_t> prefixes(words);
  const std::uint64_t last = std::uint64_t{1} << ((piece.size() - 1) % 64);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::uint64_t* const set = places.of(text[at]);
    std::uint64_t carry = 1;
    for (std::size_t word = 0; word < words; ++word) {
      const std::uint64_t shifted = prefixes[word] << 1 | carry;
      carry = prefixes[word] >> 63;
      prefixes[word] = shifted & set[word];
    }
    if ((prefixes.back() & last) != 0) return at + 1 - piece.size();
  }
  return std::nullopt;
}

// Where a piece without kAnyText first fits. Most texts are decided by plain comparison; that stops
// after a number of steps that grows with the text alone.
template <class Char>
std::optional<std::size_t> find_piece(View<Char> piece, View<Char> text) {
  constexpr std::size_t kStepsPerCharacter = 2;
  std::size_t steps = kStepsPerCharacter * text.size();
  for (std::size_t at = 0; at + piece.size() <= text.size(); ++at) {
    std::size_t same = 0;
    while (same < piece.size() &&
           (piece[same] == text[at + same] || piece[same] == kCharacter<Char>))
      ++same;
    if (same == piece.size()) return at;
    if (same >= steps) {
      const auto found = find_in_parallel(piece, text.substr(at));
      return found ? std::optional(at + *found) : std::nullopt;
    }
    steps -= same;
  }
  return std::nullopt;
}

template <class Char>
bool matches_characters(View<Char> pattern, View<Char> text) {
  const std::size_t first = pattern.find(kText<Char>);
  if (first == View<Char>::npos)
    return pattern.size() == text.size() && fits_at(pattern, text.data());
  const std::size_t last = pattern.rfind(kText<Char>);
  const View<Char> head = pattern.substr(0, first);
  const View<Char> tail = pattern.substr(last + 1);
  if (head.size() + tail.size() > text.size()) return false;
  if (!fits_at(head, text.data())) return false;
  if (!fits_at(tail, text.data() + text.size() - tail.size())) return false;
  text = text.substr(head.size(), text.size() - head.size() - tail.size());
  pattern = pattern.substr(first, last - first);
  // The leftmost place of each piece leaves the most for those after it.
  while (!pattern.empty()) {
    pattern.remove_prefix(1);
    const View<Char> piece = pattern.substr(0, pattern.find(kText<Char>));
    pattern.remove_prefix(piece.size());
    if (piece.empty()) continue;
    if (piece.size() > text.size()) return false;
    const auto at = find_piece(piece, text);
    if (!at) return false;
    text.remove_prefix(*at + piece.size());
  }
  return true;
}

// The code points of a text or pattern; a byte that begins none is itself, out of Unicode's range.
std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t size = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const std::string_view character = text.substr(0, size);
    if (first < 0x80 || !is_valid_utf8(character)) {
      points.push_back(first < 0x80 ? first : as_wildcard<char32_t>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    char32_t point = first & (0x7FU >> size);
    for (const char c : character.substr(1))
      point = point << 6 | (static_cast<unsigned char>(c) & 0x3FU);
    points.push_back(point);
    text.remove_prefix(size);
  }
  return points;
}

}  // namespace

bool has_wildcard_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c == kAnyText || c == kAnyCharacter; });
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // What a pattern has beyond ASCII fits nothing in such a text, byte by byte too.
  if (is_ascii(text)) return matches_characters(pattern, text);
  const std::u32string pattern_points = code_points(pattern);
  const std::u32string text_points = code_points(text);
  return matches_characters<char32_t>(pattern_points, text_points);
}

ArnParts split_arn(std::string_view text) {
  ArnParts arn;
  while (arn.count + 1 < ArnParts::kCount) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) break;
    arn.parts[arn.count++] = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  arn.parts[arn.count++] = text;
  return arn;
}

bool matches_arn(std::string_view pattern, const ArnParts& arn) {
  const ArnParts patterns = split_arn(pattern);
  if (!patterns.is_whole() || !arn.is_whole()) return false;
  for (std::size_t i = 0; i < ArnParts::kCount; ++i) {
    if (!matches_pattern(patterns.parts[i], arn.parts[i])) return false;
  }
  return true;
}

}  // namespace stator::access

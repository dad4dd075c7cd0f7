// UTF-8 validation: by machine words while the text is ASCII, else one sequence at a time.
#include "protocol/text/utf8.h"

#include <cstdint>
#include <cstring>

namespace stator {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080u;

std::uint64_t load_word(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// First byte at or after `p` that is not ASCII, or `end`; may stop earlier inside the last block.
const char* skip_ascii_blocks(const char* p, const char* end) {
  constexpr std::ptrdiff_t kBlock = 32;
  while (end - p >= kBlock) {
    const std::uint64_t bits =
        load_word(p) | load_word(p + 8) | load_word(p + 16) | load_word(p + 24);
    if ((bits & kHighBits) != 0) return p;
    p += kBlock;
  }
  return p;
}

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// Length of the well-formed sequence of two to four bytes at `p`, or 0 (RFC 3629, section 4).
std::size_t sequence_length(const char* text, std::size_t left) {
  const auto* p = reinterpret_cast<const unsigned char*>(text);
  if (p[0] >= 0xC2 && p[0] <= 0xDF) return left >= 2 && is_continuation(p[1]) ? 2 : 0;
  if (p[0] >= 0xE0 && p[0] <= 0xEF) {
    if (left < 3 || !is_continuation(p[1]) || !is_continuation(p[2])) return 0;
    const bool overlong = p[0] == 0xE0 && p[1] < 0xA0;
    const bool surrogate = p[0] == 0xED && p[1] >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (p[0] >= 0xF0 && p[0] <= 0xF4) {
    if (left < 4) return 0;
    if (!is_continuation(p[1]) || !is_continuation(p[2]) || !is_continuation(p[3])) return 0;
    const bool overlong = p[0] == 0xF0 && p[1] < 0x90;
    const bool too_large = p[0] == 0xF4 && p[1] >= 0x90;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (true) {
    p = skip_ascii_blocks(p, end);
    // At most a block byte by byte: the words stopped at a byte that is not ASCII, or near the end.
    for (int i = 0; i < 32; ++i) {
      if (p == end) return true;
      if ((static_cast<unsigned char>(*p) & 0x80) == 0) {
        ++p;
        continue;
      }
      const std::size_t length = sequence_length(p, static_cast<std::size_t>(end - p));
      if (length == 0) return false;
      p += length;
    }
  }
}

std::size_t utf8_length(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += is_continuation(static_cast<unsigned char>(c)) ? 0 : 1;
  return count;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t size = bytes_max;
  while (size > 0 && is_continuation(static_cast<unsigned char>(text[size]))) --size;
  return text.substr(0, size);
}

}  // namespace stator

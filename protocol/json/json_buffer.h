// JsonBuffer: appends many small pieces of JSON to a string through a pointer, into space reserved
// beforehand. Rendering an item spends most of its time here.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/number/number.h"
#include "protocol/text/base64.h"

namespace stator {

// Copies `text` to `out`, which has space for it. Returns whether no byte needs an escape in JSON;
// if false, the copy is useless.
inline bool copy_json_plain(char* out, std::string_view text);
// copy_json_plain() for at most kJsonShortBytesMax bytes. Always reads and writes that many bytes,
// whatever the size.
inline constexpr std::size_t kJsonShortBytesMax = 16;
inline bool copy_json_short(char* out, const char* in, std::size_t size);
// Writes `text` with its escapes and returns the end. `out` needs six bytes for each of `text`.
char* write_json_escaped(char* out, std::string_view text);

// Writes a string literal and returns the end.
template <std::size_t N>
char* write_literal(char* out, const char (&text)[N]) {
  std::memcpy(out, text, N - 1);
  return out + N - 1;
}

class JsonBuffer {
 public:
  // Appends the document to `out`, whose size is right only after the buffer's destruction.
  // Reserves `expected_bytes` and grows as needed.
  JsonBuffer(std::string& out, std::size_t expected_bytes) : out_(out) {
    const std::size_t start = out.size();
    out.resize(start + expected_bytes);
    next_ = out.data() + start;
    end_ = out.data() + out.size();
  }
  ~JsonBuffer() { out_.resize(static_cast<std::size_t>(next_ - out_.data())); }
  JsonBuffer(const JsonBuffer&) = delete;
  JsonBuffer& operator=(const JsonBuffer&) = delete;

  // For callers that write several pieces at once: the address of the next byte, and the end of the
  // reserved space. Pass the end of the written bytes to written_to().
  std::pair<char*, char*> room() const { return {next_, end_}; }
  void written_to(char* end) { next_ = end; }

  void character(char c) {
    reserve(1);
    *next_++ = c;
  }
  // Replaces the last character.
  void last_character(char c) { next_[-1] = c; }
  // Writes a string literal.
  template <std::size_t N>
  void literal(const char (&text)[N]) {
    reserve(N - 1);
    next_ = write_literal(next_, text);
  }
  // Writes `text`, UTF-8, escaped, between two literals.
  template <std::size_t N, std::size_t M>
  void string_between(const char (&before)[N], std::string_view text, const char (&behind)[M]) {
    reserve(text.size() + (N - 1) + (M - 1));
    // A local pointer: the compiler must assume that bytes written through the member change the
    // member.
    char* out = write_literal(next_, before);
    if (copy_json_plain(out, text)) [[likely]] {
      out += text.size();
    } else {
      next_ = out;
      reserve(6 * text.size() + (M - 1));
      out = write_json_escaped(next_, text);
    }
    next_ = write_literal(out, behind);
  }
  // Writes text that is JSON already.
  void raw(std::string_view json) {
    reserve(json.size());
    next_ = std::copy(json.begin(), json.end(), next_);
  }
  void integer(std::int64_t value) {
    constexpr std::size_t kBytesMax = 20;
    written(kBytesMax, [&](char* out) { return std::to_chars(out, out + kBytesMax, value).ptr; });
  }
  // Calls `write` with the address of the next byte; `write` returns the end of what it wrote.
  template <class Write>
  void written(std::size_t bytes_max, Write write) {
    reserve(bytes_max);
    next_ = write(next_);
  }
  // Writes `text` in quotes.
  void string(std::string_view text) { string_between("\"", text, "\""); }
  // Writes a number from its ordered bytes between two literals; false if the bytes are no number.
  template <std::size_t N, std::size_t M>
  bool number_between(const char (&before)[N], std::string_view ordered_bytes,
                      const char (&behind)[M]) {
    reserve(kNumberTextBytesMax + (N - 1) + (M - 1));
    char* const end = write_number_text_if_valid(write_literal(next_, before), ordered_bytes);
    if (end == nullptr) [[unlikely]]
      return false;
    next_ = write_literal(end, behind);
    return true;
  }
  // Writes the encoding in quotes.
  void base64(std::string_view bytes) {
    reserve(base64_size(bytes.size()) + 2);
    *next_++ = '"';
    next_ = write_base64(next_, bytes);
    *next_++ = '"';
  }

 private:
  void reserve(std::size_t count) {
    if (static_cast<std::size_t>(end_ - next_) < count) [[unlikely]]
      grow(count);
  }
  void grow(std::size_t count);

  std::string& out_;
  char* next_;
  char* end_;
};

// ------------------------------------------------------------------------------------------------
// Inline, because most strings are short

namespace json_detail {

inline constexpr std::uint64_t kOnes = 0x0101010101010101U;
inline constexpr std::uint64_t kHighBits = 0x8080808080808080U;

// Non-zero if one of the eight bytes needs an escape: below 0x20, '"' or '\'. Exact as a yes or no;
// bytes of 0x80 and above never match.
inline std::uint64_t escapes_in(std::uint64_t word) {
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t below = (word - kOnes * 0x20) & ~word;
  return (below | ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash)) & kHighBits;
}

using Bytes16 = unsigned char __attribute__((vector_size(16)));
// 0xFF for each matching byte, else 0.
using ByteMask16 = signed char __attribute__((vector_size(16)));

inline ByteMask16 escapes_in(Bytes16 bytes) {
  // Flipping this bit puts '"' next to the control characters, so one comparison finds both.
  return ((bytes ^ 0x02) <= 0x20) | (bytes == '\\');
}
inline bool any(ByteMask16 answers) {
#ifdef __SSE2__
  using Chars = char __attribute__((vector_size(16)));
  return __builtin_ia32_pmovmskb128(reinterpret_cast<Chars>(answers)) != 0;
#else
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &answers, sizeof answers);
  return (halves[0] | halves[1]) != 0;
#endif
}
// Index of the first matching byte; 16 if none.
inline std::size_t first_of(ByteMask16 answers) {
#ifdef __SSE2__
  using Chars = char __attribute__((vector_size(16)));
  const auto bits =
      static_cast<unsigned>(__builtin_ia32_pmovmskb128(reinterpret_cast<Chars>(answers)));
  return static_cast<std::size_t>(__builtin_ctz(bits | 1U << 16));
#else
  std::size_t place = 0;
  while (place < sizeof answers && answers[place] == 0) ++place;
  return place;
#endif
}
inline bool has_escapes(std::array<std::uint64_t, 2> words) {
  Bytes16 bytes;
  std::memcpy(&bytes, words.data(), sizeof bytes);
  return any(escapes_in(bytes));
}

// The mask of the first n of sixteen bytes begins at 16 - n.
inline constexpr auto kFirstBytes = [] {
  std::array<unsigned char, 2 * kJsonShortBytesMax> mask{};
  for (std::size_t i = 0; i < kJsonShortBytesMax; ++i) mask[i] = 0xFF;
  return mask;
}();

// Copies one word and returns it.
template <class Word>
Word copy_word(char* out, const char* in) {
  Word word;
  std::memcpy(&word, in, sizeof word);
  std::memcpy(out, &word, sizeof word);
  return word;
}

// Copies sixteen bytes at a time.
bool copy_long(char* out, std::string_view text);

}  // namespace json_detail

inline bool copy_json_plain(char* out, std::string_view text) {
  using namespace json_detail;
  const std::size_t size = text.size();
  const char* const in = text.data();
  if (size >= 16) return copy_long(out, text);
  // Two words that overlap.
  if (size >= 8) {
    const auto first = copy_word<std::uint64_t>(out, in);
    return !has_escapes({first, copy_word<std::uint64_t>(out + size - 8, in + size - 8)});
  }
  if (size >= 4) {
    const std::uint64_t first = copy_word<std::uint32_t>(out, in);
    const std::uint64_t last = copy_word<std::uint32_t>(out + size - 4, in + size - 4);
    return escapes_in(first << 32 | last) == 0;
  }
  // The missing bytes of a short word become letters.
  std::uint64_t word = kOnes * 'x';
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = in[i];
    word = word << 8 | static_cast<unsigned char>(in[i]);
  }
  return escapes_in(word) == 0;
}

inline bool copy_json_short(char* out, const char* in, std::size_t size) {
  using namespace json_detail;
  const auto bytes = copy_word<Bytes16>(out, in);
  ByteMask16 text;
  std::memcpy(&text, kFirstBytes.data() + kJsonShortBytesMax - size, sizeof text);
  return !any(escapes_in(bytes) & text);
}

}  // namespace stator

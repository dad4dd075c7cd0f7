// Appends JSON. Strings are scanned for bytes that need an escape eight at a time and copied in
// runs.
#include "protocol/json_writer.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>

namespace stator {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighBits = 0x8080808080808080u;

constexpr bool needs_escape(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

// Non-zero when one of the eight bytes needs an escape: below 0x20, '"' or '\'. Exact as a yes or
// no; bytes of 0x80 and above never count.
std::uint64_t escapes_in(std::uint64_t word) {
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t below = (word - kOnes * 0x20) & ~word;
  return (below | ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash)) & kHighBits;
}

// First byte that needs an escape, or `end`.
const char* find_escape(const char* p, const char* end) {
  for (; end - p >= 8; p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    if (escapes_in(word) != 0) break;
  }
  while (p != end && !needs_escape(static_cast<unsigned char>(*p))) ++p;
  return p;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\t':
      out.append("\\t");
      return;
    case '\r':
      out.append("\\r");
      return;
    case '\b':
      out.append("\\b");
      return;
    case '\f':
      out.append("\\f");
      return;
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(c);
  const std::array<char, 6> escape{'\\', 'u', '0', '0', kHex[code >> 4], kHex[code & 0xF]};
  out.append(escape.data(), escape.size());
}

// Room for any 64-bit integer and any double in plain notation up to its shortest digits.
using NumberText = std::array<char, 400>;

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  out.push_back('"');
  while (true) {
    const char* const stop = find_escape(p, end);
    out.append(p, static_cast<std::size_t>(stop - p));
    if (stop == end) break;
    append_escape(out, *stop);
    p = stop + 1;
  }
  out.push_back('"');
}

void JsonWriter::key(std::string_view name) {
  string(name);
  out_.push_back(':');
  needs_comma_ = false;
}

void JsonWriter::string(std::string_view text) {
  before_value();
  append_json_string(out_, text);
}

void JsonWriter::integer(std::int64_t value) {
  before_value();
  NumberText text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  out_.append(text.data(), result.ptr);
}

void JsonWriter::boolean(bool value) {
  before_value();
  out_.append(value ? "true" : "false");
}

void JsonWriter::null() {
  before_value();
  out_.append("null");
}

void JsonWriter::timestamp_ms(std::int64_t unix_ms) {
  before_value();
  // Magnitude in unsigned arithmetic, so that the smallest integer has one too.
  const bool negative = unix_ms < 0;
  const auto bits = static_cast<std::uint64_t>(unix_ms);
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  if (negative) out_.push_back('-');
  NumberText text;
  const auto seconds = std::to_chars(text.data(), text.data() + text.size(), magnitude / 1000);
  out_.append(text.data(), seconds.ptr);
  const std::uint64_t ms = magnitude % 1000;
  if (ms == 0) return;
  const std::array<char, 4> fraction{'.', static_cast<char>('0' + ms / 100),
                                     static_cast<char>('0' + ms / 10 % 10),
                                     static_cast<char>('0' + ms % 10)};
  const std::size_t size = ms % 100 == 0 ? 2 : ms % 10 == 0 ? 3 : 4;
  out_.append(fraction.data(), size);
}

void JsonWriter::decimal(double value) {
  assert(std::isfinite(value));
  before_value();
  NumberText text;
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view plain(text.data(), static_cast<std::size_t>(result.ptr - text.data()));
  out_.append(plain);
  if (plain.find('.') == std::string_view::npos) out_.append(".0");
}

void JsonWriter::raw(std::string_view json) {
  before_value();
  out_.append(json);
}

}  // namespace stator

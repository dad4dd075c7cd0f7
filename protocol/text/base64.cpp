// Base64 by table, four characters to three bytes.
#include "protocol/text/base64.h"

#include <array>
#include <cassert>

namespace stator {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kForeign = 0x80;  // above six bits, so one OR over a group finds it

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kForeign);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr auto kValues = make_values();

std::uint32_t value_of(char c) { return kValues[static_cast<unsigned char>(c)]; }

std::size_t padding_of(std::string_view text) {
  if (text.empty() || text.back() != '=') return 0;
  return text[text.size() - 2] == '=' ? 2 : 1;
}

}  // namespace

Base64Error check_base64(std::string_view text) {
  if (text.size() % 4 != 0) return Base64Error::BadLength;
  const std::size_t padding = padding_of(text);
  const std::string_view digits = text.substr(0, text.size() - padding);
  std::uint32_t seen = 0;
  for (const char c : digits) seen |= value_of(c);
  if ((seen & kForeign) != 0) return Base64Error::BadText;
  const std::uint32_t unused_bits = padding == 0 ? 0 : padding == 1 ? 0x03 : 0x0F;
  if (padding != 0 && (value_of(digits.back()) & unused_bits) != 0) return Base64Error::BadText;
  return Base64Error::None;
}

std::string_view decode_base64(std::string_view text, Arena& arena) {
  assert(text.size() % 4 == 0);
  if (text.empty()) return {};
  const std::size_t padding = padding_of(text);
  const std::size_t size_bytes = text.size() / 4 * 3 - padding;
  // Space for whole groups: the last one is written in full and then cut by the size.
  const auto bytes = arena.allocate_array<char>(text.size() / 4 * 3);
  char* out = bytes.data();
  for (std::size_t i = 0; i < text.size(); i += 4) {
    // Padding counts as zero bits; it occurs only in the last group.
    const std::uint32_t group = value_of(text[i]) << 18 | value_of(text[i + 1]) << 12 |
                                (value_of(text[i + 2]) & 0x3F) << 6 |
                                (value_of(text[i + 3]) & 0x3F);
    *out++ = static_cast<char>(group >> 16 & 0xFF);
    *out++ = static_cast<char>(group >> 8 & 0xFF);
    *out++ = static_cast<char>(group & 0xFF);
  }
  return {bytes.data(), size_bytes};
}

void append_base64(std::string& out, std::string_view bytes) {
  const std::size_t start = out.size();
  out.resize(start + base64_size(bytes.size()));
  write_base64(out.data() + start, bytes);
}

char* write_base64(char* target, std::string_view bytes) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= 3; left -= 3, p += 3) {
    const std::uint32_t group = static_cast<std::uint32_t>(p[0] << 16 | p[1] << 8 | p[2]);
    *target++ = kAlphabet[group >> 18];
    *target++ = kAlphabet[group >> 12 & 0x3F];
    *target++ = kAlphabet[group >> 6 & 0x3F];
    *target++ = kAlphabet[group & 0x3F];
  }
  if (left == 0) return target;
  const std::uint32_t second = left == 2 ? p[1] : 0u;
  const std::uint32_t group = static_cast<std::uint32_t>(p[0] << 16) | second << 8;
  *target++ = kAlphabet[group >> 18];
  *target++ = kAlphabet[group >> 12 & 0x3F];
  *target++ = left == 2 ? kAlphabet[group >> 6 & 0x3F] : '=';
  *target++ = '=';
  return target;
}

}  // namespace stator

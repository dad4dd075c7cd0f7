#include "protocol/json_buffer.h"

#include <array>

namespace stator {
namespace {

char* write_escape(char* out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  char letter = 0;
  switch (c) {
    case '"':
    case '\\':
      letter = c;
      break;
    case '\n':
      letter = 'n';
      break;
    case '\t':
      letter = 't';
      break;
    case '\r':
      letter = 'r';
      break;
    case '\b':
      letter = 'b';
      break;
    case '\f':
      letter = 'f';
      break;
    default:
      break;
  }
  *out++ = '\\';
  if (letter != 0) {
    *out++ = letter;
    return out;
  }
  const auto code = static_cast<unsigned char>(c);
  const std::array<char, 5> digits{'u', '0', '0', kHex[code >> 4], kHex[code & 0xF]};
  std::memcpy(out, digits.data(), digits.size());
  return out + digits.size();
}

}  // namespace

void JsonBuffer::grow(std::size_t count) {
  const auto used = static_cast<std::size_t>(next_ - out_.data());
  out_.resize(used + 2 * count + 256);
  next_ = out_.data() + used;
  end_ = out_.data() + out_.size();
}

namespace json_detail {

bool copy_long(char* out, std::string_view text) {
  using Bytes = unsigned char __attribute__((vector_size(16)));
  using Mask = signed char __attribute__((vector_size(16)));
  const auto copy = [&](std::size_t at) {
    Bytes bytes;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    std::memcpy(out + at, &bytes, sizeof bytes);
    return (bytes < 0x20) | (bytes == '"') | (bytes == '\\');
  };
  const std::size_t last = text.size() - sizeof(Bytes);
  Mask escapes = copy(last);
  for (std::size_t at = 0; at < last; at += sizeof(Bytes)) escapes |= copy(at);
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &escapes, sizeof escapes);
  return (halves[0] | halves[1]) == 0;
}

}  // namespace json_detail

char* write_json_escaped(char* out, std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') {
      out = write_escape(out, c);
    } else {
      *out++ = c;
    }
  }
  return out;
}

}  // namespace stator

#include "protocol/json/json_buffer.h"

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

using json_detail::ByteMask16;
using json_detail::Bytes16;

class LeastBytes {
 public:
  void meet(Bytes16 bytes) {
    control_ = least(control_, bytes ^ 0x02);
    backslash_ = least(backslash_, bytes ^ '\\');
  }
  ByteMask16 escapes() const { return (control_ <= 0x20) | (backslash_ == 0); }

 private:
  static Bytes16 least(Bytes16 a, Bytes16 b) { return a < b ? a : b; }

  Bytes16 control_ = Bytes16{} - 1;
  Bytes16 backslash_ = Bytes16{} - 1;
};

}  // namespace

void JsonBuffer::grow(std::size_t count) {
  const auto used = static_cast<std::size_t>(next_ - out_.data());
  out_.resize(used + 2 * count + 256);
  next_ = out_.data() + used;
  end_ = out_.data() + out_.size();
}

namespace json_detail {

bool copy_long(char* out, std::string_view text) {
  const char* const in = text.data();
  // The minimum of the values that escapes_in() compares, so that one comparison serves the whole
  // text.
  LeastBytes least;
  const std::size_t last = text.size() - sizeof(Bytes16);
  least.meet(copy_word<Bytes16>(out + last, in + last));
  std::size_t at = 0;
  for (; at + 2 * sizeof(Bytes16) <= last; at += 2 * sizeof(Bytes16)) {
    const char* const behind = in + at + sizeof(Bytes16);
    least.meet(copy_word<Bytes16>(out + at, in + at));
    least.meet(copy_word<Bytes16>(out + at + sizeof(Bytes16), behind));
  }
  for (; at < last; at += sizeof(Bytes16)) least.meet(copy_word<Bytes16>(out + at, in + at));
  return !any(least.escapes());
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

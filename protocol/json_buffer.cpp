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

using json_detail::SixteenAnswers;
using json_detail::SixteenBytes;

class LeastBytes {
 public:
  void meet(SixteenBytes bytes) {
    control_ = least(control_, bytes ^ 0x02);
    backslash_ = least(backslash_, bytes ^ '\\');
  }
  SixteenAnswers escapes() const { return (control_ <= 0x20) | (backslash_ == 0); }

 private:
  static SixteenBytes least(SixteenBytes a, SixteenBytes b) { return a < b ? a : b; }

  SixteenBytes control_ = SixteenBytes{} - 1;
  SixteenBytes backslash_ = SixteenBytes{} - 1;
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
  // The least of what escapes_in() compares, so that there is one comparison for the whole text.
  LeastBytes least;
  const std::size_t last = text.size() - sizeof(SixteenBytes);
  least.meet(copy_word<SixteenBytes>(out + last, in + last));
  std::size_t at = 0;
  for (; at + 2 * sizeof(SixteenBytes) <= last; at += 2 * sizeof(SixteenBytes)) {
    const char* const behind = in + at + sizeof(SixteenBytes);
    least.meet(copy_word<SixteenBytes>(out + at, in + at));
    least.meet(copy_word<SixteenBytes>(out + at + sizeof(SixteenBytes), behind));
  }
  for (; at < last; at += sizeof(SixteenBytes))
    least.meet(copy_word<SixteenBytes>(out + at, in + at));
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

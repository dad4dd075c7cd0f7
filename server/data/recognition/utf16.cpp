#include "server/data/recognition/utf16.h"

namespace stator::data {

using namespace std::string_view_literals;

bool Utf16Decoder::append(std::string& out, std::string_view bytes) {
  for (const char byte : bytes) {
    const auto value = static_cast<std::uint32_t>(static_cast<unsigned char>(byte));
    has_byte_ = !has_byte_;
    if (has_byte_) {
      byte_ = value;
      continue;
    }
    const bool is_big = order_ == Order::BigEnd;
    if (!append_unit(out, is_big ? byte_ << 8 | value : value << 8 | byte_)) return false;
  }
  return true;
}

bool Utf16Decoder::append_unit(std::string& out, std::uint32_t unit) {
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  const bool is_second_half = unit >= 0xDC00 && unit <= 0xDFFF;
  if (is_second_half != (first_half_ != 0)) return false;
  if (unit >= 0xD800 && unit <= 0xDBFF) {
    first_half_ = unit;
    return true;
  }
  if (is_second_half) {
    const std::uint32_t point = 0x10000 + ((first_half_ - 0xD800) << 10) + (unit - 0xDC00);
    first_half_ = 0;
    add(0xF0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3F));
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  } else if (unit >= 0x800) {
    add(0xE0 | unit >> 12);
    add(0x80 | (unit >> 6 & 0x3F));
    add(0x80 | (unit & 0x3F));
  } else if (unit >= 0x80) {
    add(0xC0 | unit >> 6);
    add(0x80 | (unit & 0x3F));
  } else {
    add(unit);
  }
  return true;
}

std::optional<Utf16Decoder::Order> utf16_order(std::string_view beginning) {
  if (beginning.starts_with("\xFF\xFE\0\0"sv)) return std::nullopt;  // UTF-32
  if (beginning.starts_with("\xFF\xFE"sv)) return Utf16Decoder::Order::LittleEnd;
  if (beginning.starts_with("\xFE\xFF"sv)) return Utf16Decoder::Order::BigEnd;
  return std::nullopt;
}

}  // namespace stator::data

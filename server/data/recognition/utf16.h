// Turns UTF-16 into UTF-8 as the bytes come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stator::data {

class Utf16Decoder {
 public:
  enum class Order : std::uint8_t { LittleEnd, BigEnd };
  explicit Utf16Decoder(Order order) : order_{order} {}

  // Appends what is complete. Returns false for half of a pair, after which nothing is read.
  bool append(std::string& out, std::string_view bytes);
  // Whether nothing is left that waits for more bytes.
  bool is_complete() const { return !has_byte_ && first_half_ == 0; }

 private:
  bool append_unit(std::string& out, std::uint32_t unit);

  const Order order_;
  bool has_byte_ = false;
  std::uint32_t byte_ = 0;
  std::uint32_t first_half_ = 0;  // of a pair; 0: none
};

// What the byte order mark says; none if there is none, or it is that of UTF-32.
std::optional<Utf16Decoder::Order> utf16_order(std::string_view beginning);

}  // namespace stator::data

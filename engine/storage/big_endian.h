// Fixed-width integers whose bytes sort as the numbers do, for keys. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stator::storage {

inline void write_u32_be(char* out, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<char>(value >> (24 - 8 * i));
}
inline void write_u64_be(char* out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<char>(value >> (56 - 8 * i));
}
inline void append_u32_be(std::string& out, std::uint32_t value) {
  const std::size_t at = out.size();
  out.resize(at + 4);
  write_u32_be(out.data() + at, value);
}
inline std::uint32_t read_u32_be(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}
inline std::uint64_t read_u64_be(const char* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace stator::storage

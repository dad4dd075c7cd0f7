// The only writer and the only reader of persisted bytes: fixed-width integers of both byte orders,
// varints, runs of bytes. engine/storage/FORMAT.md draws the structures made of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "protocol/errors/result.h"

namespace stator::storage {

// ---- integers at an address ----

// The value with its bytes reversed.
template <std::unsigned_integral T>
constexpr T reversed(T value) {
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  return value;
}

// Stores the highest byte first. Such bytes sort as the numbers do, so keys use them.
template <std::unsigned_integral T>
inline void store_be(char* out, T value) {
  if constexpr (std::endian::native == std::endian::little) value = reversed(value);
  std::memcpy(out, &value, sizeof value);
}
template <std::unsigned_integral T>
inline T load_be(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return std::endian::native == std::endian::big ? value : reversed(value);
}

// Stores the lowest byte first.
template <std::unsigned_integral T>
inline void store_le(char* out, T value) {
  if constexpr (std::endian::native == std::endian::big) value = reversed(value);
  std::memcpy(out, &value, sizeof value);
}
template <std::unsigned_integral T>
inline T load_le(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return std::endian::native == std::endian::little ? value : reversed(value);
}

// ---- runs of bytes ----

// Appends to a string, which must outlive the writer.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  template <std::unsigned_integral T>
  void be(T value) {
    store_be(room(sizeof value), value);
  }
  template <std::unsigned_integral T>
  void le(T value) {
    store_le(room(sizeof value), value);
  }
  // 7 bits a byte, lowest first, bit 7 set on all but the last; at most 32 bits.
  void varint(std::size_t value) {
    assert(value <= UINT32_MAX);
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  void raw(std::string_view bytes) { out_.append(bytes); }
  // Appends the length as a varint, then the bytes.
  void bytes(std::string_view bytes) {
    varint(bytes.size());
    raw(bytes);
  }
  // Begins a block that starts with its length as u32le and ends at end_block().
  std::size_t begin_block() {
    room(4);
    return out_.size();
  }
  void end_block(std::size_t begun) {
    assert(out_.size() - begun <= UINT32_MAX);
    store_le(out_.data() + begun - 4, static_cast<std::uint32_t>(out_.size() - begun));
  }

 private:
  char* room(std::size_t size_bytes) {
    out_.resize(out_.size() + size_bytes);
    return out_.data() + out_.size() - size_bytes;
  }

  std::string& out_;
};

// Reads bytes of unknown origin from front to back. A read beyond the end, or a varint that is not
// the shortest, marks the reader damaged for good; all later reads return zeros. So callers check
// once, after a series of reads. Returned views point into the bytes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool is_damaged() const { return is_damaged_; }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  std::uint8_t u8() {
    const std::string_view byte = raw(1);
    return byte.empty() ? 0 : static_cast<std::uint8_t>(byte.front());
  }
  template <std::unsigned_integral T>
  T be() {
    const std::string_view bytes = raw(sizeof(T));
    return bytes.empty() ? T{0} : load_be<T>(bytes.data());
  }
  template <std::unsigned_integral T>
  T le() {
    const std::string_view bytes = raw(sizeof(T));
    return bytes.empty() ? T{0} : load_le<T>(bytes.data());
  }
  std::size_t varint() {
    if (!rest_.empty() && static_cast<unsigned char>(rest_.front()) < 0x80) [[likely]] {
      const auto value = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      return value;
    }
    const LongVarint long_one = read_long_varint(rest_);
    if (long_one.size_bytes == 0) damage();
    rest_.remove_prefix(long_one.size_bytes);
    return long_one.value;
  }
  std::string_view raw(std::size_t size_bytes) {
    if (size_bytes > rest_.size()) {
      damage();
      return {};
    }
    const std::string_view taken = rest_.substr(0, size_bytes);
    rest_.remove_prefix(size_bytes);
    return taken;
  }
  std::string_view bytes() { return raw(varint()); }
  std::string_view block() { return raw(le<std::uint32_t>()); }

  // Checks that all bytes were read and no read failed. The error names `what` is damaged.
  Result<void> finish(std::string_view what) const {
    if (!is_damaged_ && at_end()) return {};
    return unreadable(what);
  }

 private:
  // Rare paths are functions of their own, so that the others stay in registers.
  struct LongVarint {
    std::size_t value = 0;
    std::size_t size_bytes = 0;  // 0 if invalid
  };
  [[gnu::noinline]] static LongVarint read_long_varint(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 5); ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
      if (byte >= 0x80) continue;
      if ((byte == 0 && i > 0) || value > UINT32_MAX) return {};
      return {value, i + 1};
    }
    return {};
  }
  [[gnu::noinline]] static Error unreadable(std::string_view what) {
    return Error(ErrorCode::InternalServerError,
                 "the data is damaged: " + std::string(what) + " cannot be read");
  }

  void damage() {
    is_damaged_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool is_damaged_ = false;
};

}  // namespace stator::storage

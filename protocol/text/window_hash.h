// Hashes of a text's windows, which are all its pieces of one size. The top bits are the best.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace stator {

static_assert(std::endian::native == std::endian::little);

// Windows of at most this size are hashed independently of each other.
inline constexpr std::size_t kSmallWindowBytesMax = 2 * sizeof(std::uint64_t);

// Hash of small windows of one size.
class WindowHash {
 public:
  WindowHash(std::size_t window_bytes, std::uint64_t factor)
      : second_(window_bytes > sizeof(std::uint64_t) ? window_bytes - sizeof(std::uint64_t) : 0),
        mask_(window_bytes < sizeof(std::uint64_t) ? (std::uint64_t{1} << (8 * window_bytes)) - 1
                                                   : std::numeric_limits<std::uint64_t>::max()),
        factor_(factor) {}

  // Reads a whole word even if the window is smaller.
  std::uint64_t operator()(const char* window) const {
    const std::uint64_t first = word(window) & mask_;
    if (second_ == 0) return first * factor_;
    return (std::rotl(first * factor_, 32) ^ word(window + second_)) * factor_;
  }
  // Reads only `size` bytes: for the last windows of a text.
  std::uint64_t of_last(const char* window, std::size_t size) const {
    std::array<char, kSmallWindowBytesMax> copy{};
    std::memcpy(copy.data(), window, size);
    return (*this)(copy.data());
  }

 private:
  static std::uint64_t word(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }

  std::size_t second_;  // offset of the second word; 0 if none
  std::uint64_t mask_;
  std::uint64_t factor_;
};

// Hash of windows of any size, computed from the previous window's hash.
class RollingHash {
 public:
  RollingHash(std::string_view bytes, std::size_t window_bytes, std::uint64_t factor)
      : bytes_(bytes), window_bytes_(window_bytes), factor_(factor) {
    for (std::size_t i = 0; i < window_bytes; ++i) of_first_ *= factor;
  }

  void start(std::size_t place) {
    place_ = place;
    hash_ = 0;
    for (std::size_t i = 0; i < window_bytes_; ++i) hash_ = hash_ * factor_ + value(place + i);
  }
  bool is_last() const { return place_ + window_bytes_ == bytes_.size(); }
  // REQUIRES: !is_last().
  void advance() {
    hash_ = hash_ * factor_ + (value(place_ + window_bytes_) - value(place_) * of_first_);
    ++place_;
  }
  std::size_t place() const { return place_; }
  std::uint64_t hash() const { return hash_ * factor_; }

 private:
  std::uint64_t value(std::size_t at) const {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at])) + 1;
  }

  std::string_view bytes_;
  std::size_t window_bytes_;
  std::uint64_t factor_;
  std::uint64_t of_first_ = 1;  // factor of the byte that leaves the window
  std::size_t place_ = 0;
  std::uint64_t hash_ = 0;
};

// Calls `visit(place, hash)` for windows of one size, in any order, until it returns false.
// REQUIRES: 1 <= window_bytes <= bytes.size().
template <class Visit>
void visit_all(std::string_view bytes, std::size_t window_bytes, std::uint64_t factor,
               const Visit& visit) {
  // Each hash depends on the one before, so four sequences run side by side.
  constexpr std::size_t kLanes = 4;
  const std::size_t length = (bytes.size() - window_bytes) / kLanes;
  RollingHash rolling(bytes, window_bytes, factor);
  if (length < 2 * window_bytes) {
    rolling.start(0);
  } else {
    std::array<RollingHash, kLanes> lanes{rolling, rolling, rolling, rolling};
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i].start(i * length);
    for (std::size_t i = 0; i < length; ++i) {
      for (RollingHash& lane : lanes) {
        if (!visit(lane.place(), lane.hash())) return;
        lane.advance();
      }
    }
    rolling = lanes.back();
  }
  while (visit(rolling.place(), rolling.hash()) && !rolling.is_last()) rolling.advance();
}

// Calls `visit` for small windows in the order of the text, at every `step`th position, until it
// returns false.
template <class Visit>
void visit_small(std::string_view bytes, std::size_t window_bytes, std::size_t step,
                 std::uint64_t factor, const Visit& visit) {
  const WindowHash hash(window_bytes, factor);
  const std::size_t read_bytes = std::max(window_bytes, sizeof(std::uint64_t));
  std::size_t at = 0;
  for (; at + read_bytes <= bytes.size(); at += step)
    if (!visit(at, hash(bytes.data() + at))) return;
  for (; at + window_bytes <= bytes.size(); at += step)
    if (!visit(at, hash.of_last(bytes.data() + at, window_bytes))) return;
}

}  // namespace stator

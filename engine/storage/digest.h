// Digest: SHA-256 of bytes that come in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace stator::storage {

inline constexpr std::size_t kDigestBytes = 32;

class Digest {
 public:
  Digest();
  void add(std::string_view bytes);
  // REQUIRES: once, last.
  std::array<char, kDigestBytes> finish();

 private:
  static constexpr std::size_t kStateBytes = 112;
  alignas(std::max_align_t) std::array<std::byte, kStateBytes> state_;  // the library's
};

}  // namespace stator::storage

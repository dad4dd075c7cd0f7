// Digest: SHA-256 of bytes that arrive in pieces; MD5 of bytes at hand.
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
  // REQUIRES: called once, last.
  std::array<char, kDigestBytes> finish();

 private:
  static constexpr std::size_t kStateBytes = 112;
  alignas(std::max_align_t) std::array<std::byte, kStateBytes> state_;  // the library's state
};

inline constexpr std::size_t kMd5Bytes = 16;
std::array<unsigned char, kMd5Bytes> md5_of(std::string_view bytes);

}  // namespace stator::storage

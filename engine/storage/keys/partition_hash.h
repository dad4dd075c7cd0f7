// The hash of a partition: the service's hash model is the first three bytes of
// MD5("Outliers" + partition).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stator::storage {

inline constexpr std::size_t kHashBytes = 3;

// The position of a partition in scan order: 24 bits. A parallel scan's segments are ranges of its
// upper 12 bits.
std::uint32_t partition_hash(std::string_view partition);
// The same as bytes, the most significant one first.
std::array<char, kHashBytes> partition_hash_bytes(std::string_view partition);

}  // namespace stator::storage

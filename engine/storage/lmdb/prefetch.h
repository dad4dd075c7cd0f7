// Prefetches a record's memory. Internal to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace stator::storage {

// Prefetches the first cache lines of a record; the processor recognises longer runs by itself.
// Forced inline: GCC 12 treats a function that only prefetches as without effect and drops the
// call.
[[gnu::always_inline]] inline void prefetch(std::string_view record) {
  constexpr std::size_t kLineBytes = 64;
  constexpr std::size_t kBytesMax = 2048;
  const std::size_t size = std::min(record.size(), kBytesMax);
  for (std::size_t at = 0; at < size; at += kLineBytes) __builtin_prefetch(record.data() + at);
}

}  // namespace stator::storage

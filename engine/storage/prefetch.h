// Calling for a record's memory before it is looked at. Internal to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace stator::storage {

// Calls for the first lines of a record; the processor sees a run of more by itself. Inlined for
// sure: GCC 12 takes a function that only prefetches for one without effect and drops the call.
[[gnu::always_inline]] inline void prefetch(std::string_view record) {
  constexpr std::size_t kLineBytes = 64;
  constexpr std::size_t kBytesMax = 2048;
  const std::size_t size = std::min(record.size(), kBytesMax);
  for (std::size_t at = 0; at < size; at += kLineBytes) __builtin_prefetch(record.data() + at);
}

}  // namespace stator::storage

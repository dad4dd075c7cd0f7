// ConnectionCounts: the connections of a process. Any thread may use it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stator {

struct ConnectionCounts {
  std::atomic<std::size_t> open{0};
  std::atomic<std::uint64_t> last_number{0};  // of ConnectionPlace
  std::atomic<std::uint64_t> accepted{0};     // that got a place
  std::atomic<std::uint64_t> refused{0};      // over the limit: 503, or closed (listener.h)
};

}  // namespace stator

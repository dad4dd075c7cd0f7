// RequestCounters: what became of requests, counted where they are answered.
//
// Each dispatcher counts for itself, in memory that no other thread writes: an addition without a
// lock, and without a cache line that travels. Whoever asks adds them all up.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "protocol/error.h"

namespace stator {

// Upper bounds of the buckets of a latency, included; a last bucket has none.
inline constexpr auto kLatencyBounds = [] {
  using namespace std::chrono_literals;
  return std::array<std::chrono::nanoseconds, 19>{10us,   25us, 50us,   100us, 250us, 500us, 1ms,
                                                  2500us, 5ms,  10ms,   25ms,  50ms,  100ms, 250ms,
                                                  500ms,  1s,   2500ms, 5s,    10s};
}();

// Of all requests of one operation.
struct OperationTotals {
  std::uint64_t succeeded = 0;
  std::uint64_t throttled = 0;  // in part at least, also such as were served all the same
  std::array<std::uint64_t, kErrorCodes> errors{};  // by code
  std::array<std::uint64_t, kLatencyBounds.size() + 1> buckets{};
  std::uint64_t took_ns = 0;
};

// What was no request of an operation, because it could not be read.
struct RefusalTotals {
  std::uint64_t malformed = 0;
  std::uint64_t too_large = 0;
};

struct RequestTotals {
  std::vector<OperationTotals> operations;  // by number
  RefusalTotals refusals;
};

// Apart from what else lies in memory: neighbours would share its first and last cache line.
inline constexpr std::size_t kCacheLineBytes = 64;

class alignas(kCacheLineBytes) RequestCounters {
 public:
  explicit RequestCounters(std::size_t operations) : operations_(operations) {}

  // On the dispatcher's thread. REQUIRES: `operation` is less than the number of operations.
  void count(std::size_t operation, std::optional<ErrorCode> error, std::chrono::nanoseconds took,
             bool is_throttled = false) {
    Row& row = operations_[operation];
    if (is_throttled) add(row.throttled, 1);
    add(error ? row.errors[static_cast<std::size_t>(*error)] : row.succeeded, 1);
    std::size_t bucket = 0;
    while (bucket < kLatencyBounds.size() && took > kLatencyBounds[bucket]) ++bucket;
    add(row.buckets[bucket], 1);
    add(row.took_ns, static_cast<std::uint64_t>(took.count()));
  }
  void count_malformed() { add(malformed_, 1); }
  void count_too_large() { add(too_large_, 1); }

  // From any thread. REQUIRES: as many operations in `totals`.
  void add_to(RequestTotals& totals) const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  struct alignas(kCacheLineBytes) Row {
    Counter succeeded{0};
    Counter throttled{0};
    std::array<Counter, kErrorCodes> errors{};
    std::array<Counter, kLatencyBounds.size() + 1> buckets{};
    Counter took_ns{0};
  };

  // One thread writes: no need of a locked instruction.
  static void add(Counter& counter, std::uint64_t count) {
    counter.store(counter.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }

  std::vector<Row> operations_;
  Counter malformed_{0};
  Counter too_large_{0};
};

// Those of a process.
class AllRequestCounters {
 public:
  explicit AllRequestCounters(std::size_t operations) : operations_(operations) {}

  // For one more dispatcher; lives as long as this does. From any thread.
  RequestCounters& add_dispatcher();

  // From any thread.
  RequestTotals totals() const;

 private:
  const std::size_t operations_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<RequestCounters>> dispatchers_;  // guarded by mutex_
};

}  // namespace stator

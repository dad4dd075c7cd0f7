// RequestCounters: counts requests by outcome.
//
// Each dispatcher has its own counters, in memory that no other thread writes: an addition needs no
// lock and moves no cache line between cores. A reader adds them all up.
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

#include "protocol/errors/error.h"

namespace stator {

// Upper bounds, inclusive, of the latency buckets; one more bucket has no bound.
inline constexpr auto kLatencyBounds = [] {
  using namespace std::chrono_literals;
  return std::array<std::chrono::nanoseconds, 19>{10us,   25us, 50us,   100us, 250us, 500us, 1ms,
                                                  2500us, 5ms,  10ms,   25ms,  50ms,  100ms, 250ms,
                                                  500ms,  1s,   2500ms, 5s,    10s};
}();

// All requests of one operation.
struct OperationTotals {
  std::uint64_t succeeded = 0;
  std::uint64_t throttled = 0;  // at least in part; includes requests that were served all the same
  std::array<std::uint64_t, kErrorCodes> errors{};  // by code
  std::array<std::uint64_t, kLatencyBounds.size() + 1> buckets{};
  std::uint64_t took_ns = 0;
};

// Requests that could not be read, so they have no operation.
struct RefusalTotals {
  std::uint64_t malformed = 0;
  std::uint64_t too_large = 0;
};

struct RequestTotals {
  std::vector<OperationTotals> operations;  // by number
  std::uint64_t of_console = 0;             // in no other number
  RefusalTotals refusals;
};

// Aligned so that no other data shares its first or last cache line.
inline constexpr std::size_t kCacheLineBytes = 64;

class alignas(kCacheLineBytes) RequestCounters {
 public:
  explicit RequestCounters(std::size_t operations) : operations_(operations) {}

  // Call on the dispatcher's thread. REQUIRES: `operation` is less than the number of operations.
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
  void count_of_console() { add(of_console_, 1); }
  void count_malformed() { add(malformed_, 1); }
  void count_too_large() { add(too_large_, 1); }

  // Any thread may call this. REQUIRES: `totals` has as many operations.
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

  // Only one thread writes, so no locked instruction is needed.
  static void add(Counter& counter, std::uint64_t count) {
    counter.store(counter.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }

  std::vector<Row> operations_;
  Counter of_console_{0};
  Counter malformed_{0};
  Counter too_large_{0};
};

// The counters of all dispatchers.
class AllRequestCounters {
 public:
  explicit AllRequestCounters(std::size_t operations) : operations_(operations) {}

  // Adds counters for one more dispatcher, which live as long as this object. Any thread.
  RequestCounters& add_dispatcher();

  // From any thread.
  RequestTotals totals() const;

 private:
  const std::size_t operations_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<RequestCounters>> dispatchers_;  // guarded by mutex_
};

}  // namespace stator

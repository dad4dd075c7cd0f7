// TokenBucket: refills at a constant rate up to a limit; requests draw from it.
//
// A request first checks whether any units are left and later draws its true cost, which may leave
// a debt: the cost is known only at the end, and one item may cost more than a small table's bucket
// can hold. Over time exactly the rate passes.
//
// Exact and lock-free. One unit per second is one millionth of a unit per microsecond, so all
// amounts are whole millionths and nothing is rounded. All state is one word: units drawn since the
// epoch, modulo 2^64. The refill until now is rate times time, also modulo 2^64; their difference
// is the balance, which is small and therefore exact. Drawing is a compare-exchange on that word,
// which also discards what overflowed the bucket. A change of the rate takes several stores; during
// it the word has a special value, and a request that finds it passes without a charge instead of
// waiting.
//
// Two threads may both find and draw the last unit. So up to one request per thread passes beyond
// what a single thread would have let pass; the debt is repaid like any other.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/seams/clock.h"

namespace stator::capacity {

inline constexpr std::int64_t kMicroPerUnit = 1'000'000;

// Units per second as a fraction, for parts of partitions: units / per. Zero units means no limit.
struct Rate {
  std::int64_t units = 0;
  std::int32_t per = 1;
  std::int32_t burst_s = 1;  // capacity, as seconds of refill
  bool operator==(const Rate&) const = default;
};

class TokenBucket {
 public:
  // Larger rates count as no limit in practice; this keeps a day's refill far from overflow.
  static constexpr std::int64_t kUnitsMax = 10'000'000;

  // Makes a bucket without limit.
  TokenBucket() = default;
  // Starts with the refill of `filled_s`, at most the burst.
  TokenBucket(const Rate& rate, std::int64_t filled_s, Timestamp now) {
    begin(rate, filled_s, now);
  }

  // Restarts as a new bucket. Like set_rate() and refresh() one thread at a time, but in parallel
  // to all other calls.
  void begin(const Rate& rate, std::int64_t filled_s, Timestamp now);
  // The balance stays, up to the new burst; so does a debt. Setting the current rate changes
  // nothing.
  void set_rate(const Rate& rate, Timestamp now);
  // Discards what overflowed since `last`, the time of the previous call. REQUIRES: called at least
  // daily while the bucket is used, before use.
  void refresh(Timestamp last, Timestamp now);
  // Sets the balance of `then`, plus the refill since. One thread at a time, as begin().
  void resume(std::int64_t balance_micro, Timestamp then, Timestamp now);
  // Sets the balance to this debt; does nothing if `debt_micro` is not positive.
  void owe(std::int64_t debt_micro, Timestamp now);

  bool is_limit() const { return units_.load(std::memory_order_relaxed) > 0; }
  Rate rate() const;
  // Whether a request passes: units are left or there is no limit.
  bool is_open(Timestamp now) const;
  // In millionths of a unit, rounded down; negative: a debt.
  std::int64_t balance_micro(Timestamp now) const;
  // The capacity in millionths of a unit; 0 if no limit.
  std::int64_t size_micro() const;
  void take(std::int64_t units_micro, Timestamp now);
  // Undoes a take() of the same `now`.
  void refund(std::int64_t units_micro);

 private:
  std::int64_t scaled_balance(std::uint64_t drawn, Timestamp now) const;
  std::uint64_t earned(Timestamp now) const;
  std::int64_t cap() const;
  void store_rate(const Rate& rate);

  std::atomic<std::uint64_t> drawn_{0};
  std::atomic<std::int64_t> units_{0};
  std::atomic<std::int32_t> per_{1};
  std::atomic<std::int32_t> burst_s_{1};
};

}  // namespace stator::capacity

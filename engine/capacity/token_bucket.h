// TokenBucket: units that come in evenly, are saved up to a bound, and are taken by requests.
//
// It is asked whether anything is left, and then the true cost is taken, which may leave a debt:
// what a request costs is known only afterwards, and one item may cost more than a small table
// saves at all. Over time exactly the rate passes.
//
// Exact and without a lock. A rate of one unit a second is one millionth of a unit each
// microsecond, so all is counted in whole millionths and nothing is ever rounded. All state is one
// word: how much was drawn since the beginning of time, modulo 2^64. What came in until now is rate
// times time, modulo 2^64 too, and their difference is the balance, which is small and therefore
// right. Taking is a compare-exchange on that word; a bucket that overflowed is brought up to date
// by the same exchange. A change of the rate cannot be one exchange: meanwhile (a few stores) the
// word says so, and whoever finds it like that passes and is not charged, rather than wait.
//
// Two threads may both find the last unit and both take it, so up to one request a thread passes
// more than one thread would have let pass; the debt is paid off as any other.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/seams/clock.h"

namespace stator::capacity {

inline constexpr std::int64_t kMicroPerUnit = 1'000'000;

// Units a second as a fraction, for shares of partitions: units / per. A rate of zero units: there
// is no such limit.
struct Rate {
  std::int64_t units = 0;
  std::int32_t per = 1;
  std::int32_t burst_s = 1;  // what is saved at most, as time of coming in
  bool operator==(const Rate&) const = default;
};

class TokenBucket {
 public:
  // More than that is as good as no limit, and keeps a day's income far from overflow.
  static constexpr std::int64_t kUnitsMax = 10'000'000;

  // No limit.
  TokenBucket() = default;
  // Begins with what comes in during `filled_s`, at most the burst.
  TokenBucket(const Rate& rate, std::int64_t filled_s, Timestamp now) {
    begin(rate, filled_s, now);
  }

  // Like a new one. By one thread at a time, as set_rate() and refresh(), beside any other calls.
  void begin(const Rate& rate, std::int64_t filled_s, Timestamp now);
  // What was saved stays, as far as the new burst goes; so does a debt. The rate it has already
  // changes nothing.
  void set_rate(const Rate& rate, Timestamp now);
  // Must be called at least daily while the bucket is used, before it is used: forgets what
  // overflowed since `last`, when it was called before.
  void refresh(Timestamp last, Timestamp now);
  // With what it had at `then`, and what came in since. By one thread at a time, as begin().
  void resume(std::int64_t balance_micro, Timestamp then, Timestamp now);
  // From now on there is a debt; none when `debt_micro` is not positive.
  void owe(std::int64_t debt_micro, Timestamp now);

  bool is_limit() const { return units_.load(std::memory_order_relaxed) > 0; }
  Rate rate() const;
  // Whether a request passes: something is left, or there is no limit.
  bool is_open(Timestamp now) const;
  // In millionths of a unit, rounded down; negative: a debt.
  std::int64_t balance_micro(Timestamp now) const;
  // What it holds at most; 0: there is no limit.
  std::int64_t size_micro() const;
  void take(std::int64_t units_micro, Timestamp now);
  // Undoes a take() of the same moment.
  void give_back(std::int64_t units_micro);

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

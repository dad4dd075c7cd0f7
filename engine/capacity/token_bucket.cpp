#include "engine/capacity/token_bucket.h"

#include <algorithm>

namespace stator::capacity {
namespace {

__extension__ using Wide = __int128;

// Marks a rate being changed. If the count reaches this value by itself it is made one larger: a
// millionth of a unit.
constexpr std::uint64_t kChanging = std::uint64_t{1} << 63;

std::uint64_t usable(std::uint64_t drawn) { return drawn == kChanging ? drawn + 1 : drawn; }

std::int64_t difference(std::uint64_t left, std::uint64_t right) {
  return static_cast<std::int64_t>(left - right);
}

// Rounded towards negative infinity. REQUIRES: divisor > 0.
std::int64_t floor_of(Wide dividend, std::int64_t divisor) {
  const Wide quotient = dividend / divisor;
  return static_cast<std::int64_t>(quotient * divisor > dividend ? quotient - 1 : quotient);
}

}  // namespace

std::uint64_t TokenBucket::earned(Timestamp now) const {
  return static_cast<std::uint64_t>(units_.load(std::memory_order_relaxed)) *
         static_cast<std::uint64_t>(now.unix_us);
}

std::int64_t TokenBucket::cap() const {
  return units_.load(std::memory_order_relaxed) * burst_s_.load(std::memory_order_relaxed) *
         kMicroPerUnit;
}

// The balance times per_.
std::int64_t TokenBucket::scaled_balance(std::uint64_t drawn, Timestamp now) const {
  return std::min(difference(earned(now), drawn), cap());
}

void TokenBucket::store_rate(const Rate& rate) {
  units_.store(std::min(rate.units, kUnitsMax), std::memory_order_relaxed);
  per_.store(rate.per, std::memory_order_relaxed);
  burst_s_.store(rate.burst_s, std::memory_order_relaxed);
}

Rate TokenBucket::rate() const {
  return {units_.load(std::memory_order_relaxed), per_.load(std::memory_order_relaxed),
          burst_s_.load(std::memory_order_relaxed)};
}

void TokenBucket::begin(const Rate& rate, std::int64_t filled_s, Timestamp now) {
  drawn_.store(kChanging, std::memory_order_release);
  store_rate(rate);
  const std::int64_t filled = std::clamp<std::int64_t>(filled_s, 0, rate.burst_s) *
                              units_.load(std::memory_order_relaxed) * kMicroPerUnit;
  drawn_.store(usable(earned(now) - static_cast<std::uint64_t>(filled)), std::memory_order_release);
}

void TokenBucket::set_rate(const Rate& rate, Timestamp now) {
  // Without this check, a change of the other dimension would briefly let requests pass here.
  if (rate == this->rate()) return;
  const std::uint64_t drawn = drawn_.exchange(kChanging, std::memory_order_acq_rel);
  const Wide balance = scaled_balance(drawn, now);
  const std::int64_t per = per_.load(std::memory_order_relaxed);
  store_rate(rate);
  const std::int64_t kept = std::min(floor_of(balance * rate.per, per), cap());
  drawn_.store(usable(earned(now) - static_cast<std::uint64_t>(kept)), std::memory_order_release);
}

// Modulo 2^64 a refill of years looks like a debt, so the refill is computed in 128 bits.
void TokenBucket::refresh(Timestamp last, Timestamp now) {
  if (!is_limit()) return;
  std::uint64_t drawn = drawn_.load(std::memory_order_acquire);
  const Wide income = static_cast<Wide>(units_.load(std::memory_order_relaxed)) *
                      (static_cast<Wide>(now.unix_us) - last.unix_us);
  const bool is_full = income > (Wide{1} << 62) || difference(earned(now), drawn) > cap();
  if (!is_full) return;
  drawn_.compare_exchange_strong(drawn, usable(earned(now) - static_cast<std::uint64_t>(cap())),
                                 std::memory_order_acq_rel);
}

// A debt that years could not repay was never a balance: clamps it.
void TokenBucket::resume(std::int64_t balance_micro, Timestamp then, Timestamp now) {
  if (!is_limit()) return;
  constexpr Wide kDebtMax = Wide{1} << 61;
  const Wide scaled = static_cast<Wide>(balance_micro) * per_.load(std::memory_order_relaxed);
  const auto balance = static_cast<std::int64_t>(std::clamp<Wide>(scaled, -kDebtMax, cap()));
  drawn_.store(usable(earned(then) - static_cast<std::uint64_t>(balance)),
               std::memory_order_release);
  refresh(then, now);
}

void TokenBucket::owe(std::int64_t debt_micro, Timestamp now) {
  if (debt_micro <= 0 || !is_limit()) return;
  const std::int64_t debt = debt_micro * per_.load(std::memory_order_relaxed);
  drawn_.store(usable(earned(now) + static_cast<std::uint64_t>(debt)), std::memory_order_release);
}

bool TokenBucket::is_open(Timestamp now) const {
  if (!is_limit()) return true;
  const std::uint64_t drawn = drawn_.load(std::memory_order_acquire);
  return drawn == kChanging || scaled_balance(drawn, now) > 0;
}

std::int64_t TokenBucket::balance_micro(Timestamp now) const {
  const std::uint64_t drawn = drawn_.load(std::memory_order_acquire);
  if (drawn == kChanging || !is_limit()) return 0;
  return floor_of(scaled_balance(drawn, now), per_.load(std::memory_order_relaxed));
}

std::int64_t TokenBucket::size_micro() const {
  return is_limit() ? floor_of(cap(), per_.load(std::memory_order_relaxed)) : 0;
}

void TokenBucket::take(std::int64_t units_micro, Timestamp now) {
  if (!is_limit()) return;
  std::uint64_t drawn = drawn_.load(std::memory_order_acquire);
  for (;;) {
    if (drawn == kChanging) return;
    const std::int64_t cost = units_micro * per_.load(std::memory_order_relaxed);
    const std::int64_t left = scaled_balance(drawn, now) - cost;
    const std::uint64_t next = usable(earned(now) - static_cast<std::uint64_t>(left));
    if (drawn_.compare_exchange_weak(drawn, next, std::memory_order_acq_rel)) return;
  }
}

void TokenBucket::refund(std::int64_t units_micro) {
  if (!is_limit()) return;
  std::uint64_t drawn = drawn_.load(std::memory_order_acquire);
  for (;;) {
    if (drawn == kChanging) return;
    const std::int64_t cost = units_micro * per_.load(std::memory_order_relaxed);
    const std::uint64_t next = usable(drawn - static_cast<std::uint64_t>(cost));
    if (drawn_.compare_exchange_weak(drawn, next, std::memory_order_acq_rel)) return;
  }
}

}  // namespace stator::capacity

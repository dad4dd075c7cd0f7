// Buckets of units: exact income, burst, debt, other rates, and threads that take at once.
#include "engine/capacity/token_bucket.h"

#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;
using namespace stator::capacity;

namespace {

constexpr std::int64_t kStartUs = 1'790'000'000'000'000;

Timestamp second(std::int64_t seconds) { return {kStartUs + seconds * 1'000'000}; }
Timestamp micro(std::int64_t us) { return {kStartUs + us}; }
constexpr std::int64_t kUnit = kMicroPerUnit;

}  // namespace

TEST_CASE("token bucket: units come in by the microsecond and nothing is lost", "[capacity]") {
  TokenBucket bucket({.units = 3, .burst_s = 300}, 0, second(0));
  CHECK(bucket.balance_micro(second(0)) == 0);
  CHECK_FALSE(bucket.is_open(second(0)));
  CHECK(bucket.is_open(micro(1)));
  // A third of a unit each 111,111 µs and a bit: after a thousand times all of it is there.
  for (int i = 1; i <= 1000; ++i) bucket.take(333'333, micro(i * 111'111));
  CHECK(bucket.balance_micro(micro(1000 * 111'111)) == 1000 * (3 * 111'111 - 333'333));
  CHECK(bucket.balance_micro(second(300)) == 3 * 300 * kUnit - 333'333'000);
}

TEST_CASE("token bucket: what is saved has a bound", "[capacity]") {
  TokenBucket bucket({.units = 5, .burst_s = 300}, 1, second(0));
  CHECK(bucket.balance_micro(second(0)) == 5 * kUnit);
  CHECK(bucket.balance_micro(second(298)) == 5 * 299 * kUnit);
  CHECK(bucket.balance_micro(second(3600)) == 1500 * kUnit);
  bucket.take(kUnit, second(3600));
  CHECK(bucket.balance_micro(second(3600)) == 1499 * kUnit);
  bucket.refund(kUnit);
  CHECK(bucket.balance_micro(second(3600)) == 1500 * kUnit);
}

TEST_CASE("token bucket: a debt is paid off by the rate", "[capacity]") {
  TokenBucket bucket({.units = 10, .burst_s = 300}, 1, second(0));
  bucket.take(100 * kUnit, second(0));
  CHECK(bucket.balance_micro(second(0)) == -90 * kUnit);
  CHECK_FALSE(bucket.is_open(second(9)));
  CHECK(bucket.is_open({second(9).unix_us + 1}));
}

TEST_CASE("token bucket: another rate keeps what was saved as far as it goes", "[capacity]") {
  TokenBucket bucket({.units = 100, .burst_s = 300}, 300, second(0));
  bucket.set_rate({.units = 10, .burst_s = 300}, second(1));
  CHECK(bucket.balance_micro(second(1)) == 3000 * kUnit);
  bucket.set_rate({.units = 100, .burst_s = 300}, second(1));
  CHECK(bucket.balance_micro(second(11)) == 4000 * kUnit);
  bucket.take(5000 * kUnit, second(11));
  bucket.set_rate({.units = 1, .burst_s = 300}, second(11));
  CHECK(bucket.balance_micro(second(12)) == -999 * kUnit);
}

TEST_CASE("token bucket: it goes on with what it had at another time", "[capacity]") {
  struct Case {
    std::int64_t had_micro;
    std::int64_t after_s;
    std::int64_t has_micro;
  };
  constexpr std::int64_t kAge = 100LL * 365 * 86'400;
  const auto one = GENERATE(
      Case{0, 0, 0}, Case{-7 * kUnit, 1, 3 * kUnit}, Case{123, 2, 20 * kUnit + 123},
      Case{3000 * kUnit, 5, 3000 * kUnit}, Case{2999 * kUnit, 1, 3000 * kUnit},
      Case{9000 * kUnit, 0, 3000 * kUnit}, Case{-9000 * kUnit, 900, 0}, Case{0, kAge, 3000 * kUnit},
      Case{INT64_MAX, 0, 3000 * kUnit}, Case{-1'000'000 * kUnit, kAge, 3000 * kUnit});
  TokenBucket bucket({.units = 10, .burst_s = 300}, 7, second(0));
  bucket.resume(one.had_micro, second(10), second(10 + one.after_s));
  CHECK(bucket.balance_micro(second(10 + one.after_s)) == one.has_micro);
  TokenBucket share({.units = 30, .per = 3, .burst_s = 300}, 7, second(0));
  share.resume(one.had_micro, second(10), second(10 + one.after_s));
  CHECK(share.balance_micro(second(10 + one.after_s)) == one.has_micro);
  TokenBucket none;
  none.resume(one.had_micro, second(10), second(10 + one.after_s));
  CHECK(none.is_open(second(10 + one.after_s)));
}

TEST_CASE("token bucket: what was never a balance is a debt that stays in bounds", "[capacity]") {
  TokenBucket bucket({.units = 10, .per = 1000, .burst_s = 300}, 7, second(0));
  bucket.resume(INT64_MIN, second(0), second(5));
  CHECK_FALSE(bucket.is_open(second(5)));
  bucket.take(kUnit, second(5));
  CHECK_FALSE(bucket.is_open(second(100'000)));
}

TEST_CASE("token bucket: shares are fractions", "[capacity]") {
  // 100 units among three partitions.
  TokenBucket bucket({.units = 100, .per = 3, .burst_s = 300}, 0, second(0));
  CHECK(bucket.balance_micro(second(1)) == 33'333'333);
  for (int i = 1; i <= 3; ++i) bucket.take(33'333'333, second(i));
  CHECK(bucket.balance_micro(second(3)) == 1);
  // Three more partitions: half of the share, and what was saved stays the same units.
  bucket.set_rate({.units = 100, .per = 6, .burst_s = 300}, second(3));
  CHECK(bucket.balance_micro(second(3)) == 1);
  CHECK(bucket.balance_micro(second(9)) == 100'000'001);
}

TEST_CASE("token bucket: without a rate there is no limit", "[capacity]") {
  TokenBucket bucket;
  CHECK(bucket.is_open(second(0)));
  bucket.take(kUnit, second(0));
  CHECK(bucket.is_open(second(0)));
  CHECK(bucket.balance_micro(second(5)) == 0);
}

TEST_CASE("token bucket: a clock that leaps over years finds it full", "[capacity]") {
  constexpr std::int64_t kYear_s = 31'557'600;
  TokenBucket bucket({.units = 40'000, .burst_s = 1}, 1, second(0));
  bucket.take(90'000 * kUnit, second(0));
  for (const std::int64_t years : {1, 8, 15, 100, 1000}) {
    TokenBucket leapt({.units = 40'000, .burst_s = 1}, 0, second(0));
    leapt.take(50'000 * kUnit, second(0));
    leapt.refresh(second(0), second(years * kYear_s));
    INFO(years);
    CHECK(leapt.balance_micro(second(years * kYear_s)) == 40'000 * kUnit);
  }
  // And a short while does not forgive a debt.
  bucket.refresh(second(0), second(1));
  CHECK(bucket.balance_micro(second(1)) == -10'000 * kUnit);
}

TEST_CASE("token bucket: threads pass one request each too much at most", "[capacity]") {
  constexpr int kThreads = 4;
  constexpr std::int64_t kSaved = 50'000;
  TokenBucket bucket({.units = kSaved, .burst_s = 1}, 1, second(0));
  std::atomic<std::int64_t> passed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&bucket, &passed] {
      while (bucket.is_open(second(0))) {
        bucket.take(kUnit, second(0));
        passed.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(passed >= kSaved);
  CHECK(passed < kSaved + kThreads);
  CHECK(bucket.balance_micro(second(0)) == (kSaved - passed) * kUnit);
}

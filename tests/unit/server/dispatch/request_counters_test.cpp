#include "server/dispatch/request_counters.h"

#include <chrono>
#include <thread>

#include <catch2/catch.hpp>

namespace stator {
namespace {

using namespace std::chrono_literals;

TEST_CASE("request counters: a latency counts in the first bucket that has room", "[server]") {
  AllRequestCounters all(2);
  RequestCounters& counters = all.add_dispatcher();
  for (const std::chrono::nanoseconds took :
       {0ns, 10'000ns, 10'001ns, 10'000'000'000ns, 10'000'000'001ns, std::chrono::nanoseconds(1h)})
    counters.count(1, std::nullopt, took);
  const RequestTotals totals = all.totals();
  REQUIRE(totals.operations.size() == 2);
  const OperationTotals& counted = totals.operations[1];
  CHECK(counted.succeeded == 6);
  CHECK(counted.buckets.front() == 2);
  CHECK(counted.buckets[1] == 1);
  CHECK(counted.buckets[kLatencyBounds.size() - 1] == 1);
  CHECK(counted.buckets.back() == 2);
  CHECK(counted.took_ns == 3'620'000'020'002);
  CHECK(totals.operations[0].succeeded == 0);
}

TEST_CASE("request counters: what all dispatchers counted is added up", "[server]") {
  constexpr std::uint64_t kEach = 20'000;
  AllRequestCounters all(3);
  const auto work = [](RequestCounters& counters, std::size_t operation) {
    for (std::uint64_t i = 0; i < kEach; ++i) {
      counters.count(operation, std::nullopt, 1us);
      counters.count(2, ErrorCode::Throttling, 2us, /*is_throttled=*/true);
      counters.count_malformed();
    }
    counters.count_too_large();
  };
  std::thread other([&, &counters = all.add_dispatcher()] { work(counters, 0); });
  std::thread another([&, &counters = all.add_dispatcher()] { work(counters, 1); });
  // Whoever asks meanwhile sees numbers that only grow.
  std::uint64_t seen = 0;
  while (seen < kEach) {
    const RequestTotals totals = all.totals();
    const std::uint64_t now =
        totals.operations[2].errors[static_cast<std::size_t>(ErrorCode::Throttling)];
    CHECK(now >= seen);
    seen = now;
  }
  other.join();
  another.join();
  const RequestTotals totals = all.totals();
  CHECK(totals.operations[0].succeeded == kEach);
  CHECK(totals.operations[1].succeeded == kEach);
  CHECK(totals.operations[2].succeeded == 0);
  CHECK(totals.operations[2].errors[static_cast<std::size_t>(ErrorCode::Throttling)] == 2 * kEach);
  CHECK(totals.operations[2].throttled == 2 * kEach);
  CHECK(totals.operations[0].throttled == 0);
  CHECK(totals.operations[2].buckets.front() == 2 * kEach);
  CHECK(totals.refusals.malformed == 2 * kEach);
  CHECK(totals.refusals.too_large == 2);
}

}  // namespace
}  // namespace stator

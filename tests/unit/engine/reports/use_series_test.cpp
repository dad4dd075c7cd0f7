#include "engine/reports/use_series.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/throughput/admission.h"

using namespace stator;
using namespace stator::capacity;

namespace {

constexpr std::int64_t kBegin_s = 1'790'000'040;  // a whole minute
Timestamp at(double seconds) {
  return {kBegin_s * 1'000'000 + static_cast<std::int64_t>(seconds * 1'000'000)};
}

UseSeries::State new_state(int partitions = 1) {
  CapacitySettings settings;
  settings.provisioned = {10, 10};
  CapacityParameters parameters;
  parameters.initial_burst_s = 1;
  auto state = std::make_shared<ThroughputState>(
      ThroughputState::Of::Table, settings, std::make_shared<const CapacityParameters>(parameters),
      at(0));
  if (partitions > 1) state->divide(static_cast<std::uint32_t>(partitions), at(0));
  return state;
}

// Asks for `count` writes of a unit each at a hash.
void write(const UseSeries::State& state, int count, Timestamp now, std::uint32_t hash = 0) {
  const Claim claim{state.get(), Dimension::Write, {.hash = hash}, 1000};
  for (int i = 0; i < count; ++i) {
    const auto refusals = ask({&claim, 1}, now);
    if (refusals.empty()) {
      take({&claim, 1}, now);
    } else {
      refused({&claim, 1}, refusals, now);
    }
  }
}

std::int64_t writes(const UseStep& step) { return step.consumed_milli[1] / 1000; }

}  // namespace

TEST_CASE("use series: each sample counts in its second and its minute", "[capacity]") {
  const auto state = new_state();
  UseSeries series;
  series.sample({&state, 1}, at(0));
  write(state, 3, at(0.4));
  series.sample({&state, 1}, at(1.01));
  write(state, 4, at(1.5));
  series.sample({&state, 1}, at(1.6));
  write(state, 40, at(1.7));  // more than is saved
  series.sample({&state, 1}, at(2));
  series.sample({&state, 1}, at(3));  // nothing new
  const auto steps = series.steps(state, 0, at(3));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].number == kBegin_s);
  CHECK(writes(steps[0]) == 3);
  CHECK(steps[1].number == kBegin_s + 1);
  const std::int64_t served = writes(steps[1]);
  const auto throttled = static_cast<std::int64_t>(
      steps[1].refused[1][static_cast<std::size_t>(Limit::ProvisionedThroughput)]);
  CHECK(throttled > 0);
  CHECK(served + throttled == 44);
  const auto minutes = series.steps(state, 1, at(3));
  REQUIRE(minutes.size() == 1);
  CHECK(minutes[0].number == kBegin_s / 60);
  CHECK(writes(minutes[0]) == 3 + served);
}

TEST_CASE("use series: what was counted before the clock was moved is in the step before",
          "[capacity]") {
  const auto state = new_state();
  UseSeries series;
  series.sample({&state, 1}, at(0));
  write(state, 2, at(0));
  series.sample({&state, 1}, at(2), /*was_moved=*/true);
  CHECK(series.steps(state, 0, at(2)).back().number == kBegin_s);
  series.sample({&state, 1}, at(3600), /*was_moved=*/true);
  write(state, 5, at(3600));
  series.sample({&state, 1}, at(3600));
  const auto minutes = series.steps(state, 1, at(3600));
  REQUIRE(minutes.size() == 2);
  CHECK(minutes[0].number == kBegin_s / 60);
  CHECK(writes(minutes[0]) == 2);
  CHECK(minutes[1].number == kBegin_s / 60 + 60);
  CHECK(writes(minutes[1]) == 5);
  // The seconds of the hour before are gone.
  const auto seconds = series.steps(state, 0, at(3600));
  REQUIRE(seconds.size() == 1);
  CHECK(seconds[0].number == kBegin_s + 3600);
}

TEST_CASE("use series: by partition, also over the end of a window and a split", "[capacity]") {
  constexpr std::uint32_t kHigh = kHashesEnd / 2;
  const auto state = new_state(2);
  UseSeries series;
  series.sample({&state, 1}, at(59));
  write(state, 2, at(59.2), 0);
  write(state, 3, at(59.2), kHigh);
  series.sample({&state, 1}, at(60));
  write(state, 1, at(60.2), kHigh);
  series.sample({&state, 1}, at(61));
  state->divide(4, at(61));
  write(state, 1, at(61.2), kHigh);
  write(state, 2, at(61.2), kHashesEnd - 1);
  series.sample({&state, 1}, at(62));
  const auto steps = series.steps(state, 0, at(62));
  REQUIRE(steps.size() == 3);
  REQUIRE(steps[0].partitions.size() == 2);
  CHECK(steps[0].partitions[0].first_hash == 0);
  CHECK(steps[0].partitions[0].consumed_milli[1] == 2000);
  CHECK(steps[0].partitions[1].first_hash == kHigh);
  CHECK(steps[0].partitions[1].consumed_milli[1] == 3000);
  REQUIRE(steps[1].partitions.size() == 1);
  CHECK(steps[1].partitions[0].consumed_milli[1] == 1000);
  REQUIRE(steps[2].partitions.size() == 2);
  CHECK(steps[2].partitions[0].first_hash == kHigh);
  CHECK(steps[2].partitions[0].consumed_milli[1] == 1000);
  CHECK(steps[2].partitions[1].first_hash == kHigh + kHigh / 2);
  CHECK(steps[2].partitions[1].consumed_milli[1] == 2000);
}

TEST_CASE("use series: the most recent steps alone stay", "[capacity]") {
  const auto state = new_state();
  UseSeries series;
  const int last = static_cast<int>(kUseStepsMax) + 20;
  for (int second = 0; second <= last; ++second) {
    write(state, 1, at(second + 0.5));
    series.sample({&state, 1}, at(second + 1));
  }
  const auto steps = series.steps(state, 0, at(last + 1));
  CHECK(steps.size() <= kUseStepsMax);
  CHECK(steps.back().number == kBegin_s + last);
  CHECK(steps.front().number >= kBegin_s + last - static_cast<std::int64_t>(kUseStepsMax));
  CHECK(series.steps(state, 0, at(last + 10'000)).empty());
}

TEST_CASE("use series: of more tables those used last have steps, and those asked for",
          "[capacity]") {
  std::vector<UseSeries::State> states;
  for (std::size_t i = 0; i < kUseSeriesMax + 2; ++i) states.push_back(new_state());
  UseSeries series;
  series.sample(states, at(0));
  for (std::size_t i = 0; i < kUseSeriesMax; ++i) write(states[i], 1, at(0.5));
  series.sample(states, at(1));
  write(states[0], 1, at(1.5));
  series.sample(states, at(2));
  write(states[0], 1, at(2.5));
  write(states[kUseSeriesMax], 1, at(2.5));  // takes the place of one that is idle
  series.sample(states, at(3));
  CHECK(series.steps(states[0], 0, at(3)).size() == 3);
  CHECK(series.steps(states[kUseSeriesMax], 0, at(3)).size() == 1);
  // Everything is used: no place for another one, until a page asks for it.
  for (double second = 3; second < 5; ++second) {
    for (const auto& state : states) write(state, 1, at(second + 0.5));
    series.sample(states, at(second + 1));
  }
  const auto is_left_out = [&series](const UseSeries::State& state) {
    return series.steps(state, 0, at(5)).empty();
  };
  const auto left_out = std::find_if(states.begin(), states.end(), is_left_out);
  REQUIRE(left_out != states.end());
  write(*left_out, 2, at(5.5));
  series.sample(states, at(6));
  const auto steps = series.steps(*left_out, 0, at(6));
  REQUIRE(steps.size() == 1);
  CHECK(writes(steps[0]) == 2);
}

TEST_CASE("use series: after a rollback of time the steps begin anew", "[capacity]") {
  const auto state = new_state();
  UseSeries series;
  series.sample({&state, 1}, at(100));
  write(state, 3, at(100));
  series.sample({&state, 1}, at(101));
  series.sample({&state, 1}, at(10), /*was_moved=*/true);
  CHECK(series.steps(state, 0, at(10)).empty());
  write(state, 2, at(101));
  series.sample({&state, 1}, at(11));
  const auto steps = series.steps(state, 0, at(11));
  REQUIRE(steps.size() == 1);
  CHECK(writes(steps[0]) == 2);
}

TEST_CASE("use series: a table that is gone leaves nothing", "[capacity]") {
  UseSeries series;
  for (std::size_t i = 0; i < 3 * kUseSeriesMax; ++i) {
    const auto state = new_state();
    write(state, 1, at(0));
    series.sample({&state, 1}, at(1));
    CHECK(series.steps(state, 0, at(1)).size() == 1);
  }
}

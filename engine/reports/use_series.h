// UseSeries: what tables and global indexes served and throttled over time, by steps of a second
// and of a minute of the engine's clock.
//
// Nothing is counted here. Each sample adds what a state has counted since the last sample to the
// step in which it was taken, so a charge costs nothing more. A state that counts nothing has no
// steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/capacity/throttling_reason.h"
#include "engine/seams/clock.h"
#include "engine/throughput/throughput_state.h"

namespace stator {

// Steps of each length, and how many the server has in memory: 5 minutes and 5 hours.
inline constexpr std::array<std::int64_t, 2> kUseStepSeconds{1, 60};
inline constexpr std::size_t kUseStepsMax = 300;
// Tables and indexes with steps.
inline constexpr std::size_t kUseSeriesMax = 40;
// Partitions of one step: those with most units.
inline constexpr std::size_t kUsePartitionsMax = 64;

struct UseStep {
  std::int64_t number = 0;  // its begin in seconds since 1970, by the length of a step
  std::array<std::int64_t, capacity::kDimensions> consumed_milli{};
  std::array<std::array<std::uint64_t, capacity::kLimits>, capacity::kDimensions> refused{};
  // Those that served or throttled anything, by rising hashes.
  std::vector<capacity::ThroughputUse::Part> partitions = {};
};

// One thread at a time.
class UseSeries {
 public:
  using State = std::shared_ptr<capacity::ThroughputState>;

  // Takes a sample of these. Drops the steps of tables and indexes that are gone. `was_moved`: the
  // clock was just moved to `now`, and what is new was counted before that.
  void sample(std::span<const State> states, Timestamp now, bool was_moved = false);

  // The steps of one length, oldest first, without those in which nothing happened. `length` is an
  // index of kUseStepSeconds. A table that has no steps yet, because others were used more
  // recently, has them from now on.
  std::vector<UseStep> steps(const State& state, std::size_t length, Timestamp now);

 private:
  struct Series {
    capacity::ThroughputUse last;  // counts at the last sample
    Timestamp changed;             // the last sample in which the counts had changed
    std::array<std::deque<UseStep>, kUseStepSeconds.size()> steps;

    void add(capacity::ThroughputUse now, Timestamp at);
  };
  struct Known {
    std::int64_t counted_milli = 0;
    std::unique_ptr<Series> series;  // nullptr: none
  };
  using StateId = std::weak_ptr<capacity::ThroughputState>;

  Timestamp middle(Timestamp now) const;
  // Makes a series that begins with `last`, and drops the one that has not changed for longest if
  // there are kUseSeriesMax. Returns false if all have changed since `before`.
  bool begin(Known& known, capacity::ThroughputUse last, Timestamp before);
  // Drops all steps, because time went back.
  void forget(Timestamp now);
  // `at`: where the new counts belong.
  void sample_one(const State& state, Timestamp now, Timestamp at);

  std::map<StateId, Known, std::owner_less<StateId>> known_;
  std::size_t series_ = 0;
  Timestamp sampled_;  // the last time
};

}  // namespace stator

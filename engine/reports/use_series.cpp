#include "engine/reports/use_series.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "engine/schema/capacity.h"

namespace stator {
namespace {

using capacity::kDimensions;
using capacity::kLimits;
using Part = capacity::ThroughputUse::Part;

// Of two samples that are further apart the first one says best when something was counted.
constexpr std::chrono::seconds kSampleGapMax{2};

std::int64_t units_of(const Part& part) {
  return part.consumed_milli[0] + part.consumed_milli[1] +
         static_cast<std::int64_t>(part.refused) * kMilliPerUnit;
}

// A count that fell begins anew: that of a half of a split partition.
template <class Count>
Count increase(Count now, Count before) {
  return now < before ? now : now - before;
}

// Partitions of one item collection become one.
std::vector<Part> by_hash(const std::vector<Part>& partitions) {
  std::vector<Part> merged;
  for (const Part& part : partitions) {
    if (merged.empty() || merged.back().first_hash != part.first_hash) {
      merged.push_back(part);
      continue;
    }
    for (std::size_t i = 0; i < kDimensions; ++i)
      merged.back().consumed_milli[i] += part.consumed_milli[i];
    merged.back().refused += part.refused;
  }
  return merged;
}

capacity::ThroughputUse use_of(capacity::ThroughputState& state, Timestamp now) {
  capacity::ThroughputUse use = state.use(now);
  use.partitions = by_hash(use.partitions);
  return use;
}

// What happened between two samples. The partitions of both rise by their hashes.
UseStep difference(const capacity::ThroughputUse& before, const capacity::ThroughputUse& now) {
  UseStep step;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    step.consumed_milli[i] = now.sides[i].consumed_milli - before.sides[i].consumed_milli;
    for (std::size_t limit = 0; limit < kLimits; ++limit)
      step.refused[i][limit] = now.sides[i].refused[limit] - before.sides[i].refused[limit];
  }
  auto old = before.partitions.begin();
  for (Part part : now.partitions) {
    while (old != before.partitions.end() && old->first_hash < part.first_hash) ++old;
    if (old != before.partitions.end() && old->first_hash == part.first_hash) {
      for (std::size_t i = 0; i < kDimensions; ++i)
        part.consumed_milli[i] = increase(part.consumed_milli[i], old->consumed_milli[i]);
      part.refused = increase(part.refused, old->refused);
    }
    if (units_of(part) > 0) step.partitions.push_back(part);
  }
  return step;
}

void add_partitions(const std::vector<Part>& more, std::vector<Part>& partitions) {
  std::vector<Part> all = partitions;
  all.insert(all.end(), more.begin(), more.end());
  std::stable_sort(all.begin(), all.end(), [](const Part& left, const Part& right) {
    return left.first_hash < right.first_hash;
  });
  all = by_hash(all);
  if (all.size() > kUsePartitionsMax) {
    std::vector<std::int64_t> units;
    units.reserve(all.size());
    for (const Part& part : all) units.push_back(units_of(part));
    const auto least = units.begin() + static_cast<std::ptrdiff_t>(kUsePartitionsMax - 1);
    std::nth_element(units.begin(), least, units.end(), std::greater<>());
    std::erase_if(all, [least](const Part& part) { return units_of(part) < *least; });
    all.resize(std::min(all.size(), kUsePartitionsMax));
  }
  partitions = std::move(all);
}

// Adds what happened to its step. Times of samples never fall, so the step is the last one or new.
void add_to_steps(const UseStep& happened, std::int64_t number, std::deque<UseStep>& steps) {
  if (steps.empty() || steps.back().number < number) steps.push_back({.number = number});
  UseStep& step = steps.back();
  for (std::size_t i = 0; i < kDimensions; ++i) {
    step.consumed_milli[i] += happened.consumed_milli[i];
    for (std::size_t limit = 0; limit < kLimits; ++limit)
      step.refused[i][limit] += happened.refused[i][limit];
  }
  add_partitions(happened.partitions, step.partitions);
  const std::int64_t oldest = step.number - static_cast<std::int64_t>(kUseStepsMax) + 1;
  while (steps.front().number < oldest) steps.pop_front();
}

}  // namespace

void UseSeries::Series::add(capacity::ThroughputUse now, Timestamp at) {
  const UseStep happened = difference(last, now);
  for (std::size_t i = 0; i < kUseStepSeconds.size(); ++i)
    add_to_steps(happened, at.unix_s() / kUseStepSeconds[i], steps[i]);
  last = std::move(now);
}

// Where between the last sample and this one its counts belong. In the middle: a thread that
// samples once a second then meets each step once, even if it is somewhat late.
Timestamp UseSeries::middle(Timestamp now) const {
  if (sampled_ == Timestamp{}) return now;
  const std::int64_t gap_us = now.unix_us - sampled_.unix_us;
  if (gap_us > std::chrono::microseconds(kSampleGapMax).count()) return sampled_;
  return sampled_.plus(std::chrono::microseconds(gap_us / 2));
}

bool UseSeries::begin(Known& known, capacity::ThroughputUse last, Timestamp before) {
  if (series_ == kUseSeriesMax) {
    Known* oldest = nullptr;
    for (auto& [id, other] : known_) {
      if (other.series == nullptr) continue;
      if (oldest == nullptr || other.series->changed < oldest->series->changed) oldest = &other;
    }
    if (oldest->series->changed >= before) return false;
    oldest->series = nullptr;
    --series_;
  }
  known.series = std::make_unique<Series>();
  known.series->last = std::move(last);
  ++series_;
  return true;
}

void UseSeries::sample_one(const State& state, Timestamp now, Timestamp at) {
  Known& known = known_[state];
  const std::int64_t before_milli = std::exchange(known.counted_milli, state->counted_milli());
  if (before_milli == known.counted_milli) return;
  if (known.series == nullptr) {
    // What it counted while others had its place is in no step.
    capacity::ThroughputUse last;
    if (before_milli > 0) last = use_of(*state, now);
    if (!begin(known, std::move(last), sampled_)) return;
  }
  known.series->add(use_of(*state, now), at);
  known.series->changed = now;
}

void UseSeries::forget(Timestamp now) {
  for (auto& [id, known] : known_) {
    if (known.series == nullptr) continue;
    known.series->changed = now;
    for (auto& steps : known.series->steps) steps.clear();
  }
  sampled_ = now;
}

void UseSeries::sample(std::span<const State> states, Timestamp now, bool was_moved) {
  if (now < sampled_) forget(now);
  const Timestamp at = was_moved && sampled_ != Timestamp{} ? sampled_ : middle(now);
  for (const State& state : states) sample_one(state, now, at);
  for (auto it = known_.begin(); it != known_.end();) {
    if (!it->first.expired()) {
      ++it;
      continue;
    }
    if (it->second.series != nullptr) --series_;
    it = known_.erase(it);
  }
  sampled_ = now;
}

std::vector<UseStep> UseSeries::steps(const State& state, std::size_t length, Timestamp now) {
  Known& known = known_[state];
  if (known.series == nullptr && known.counted_milli > 0 &&
      begin(known, use_of(*state, now), Timestamp::max()))
    known.series->changed = now;
  if (known.series == nullptr) return {};
  const std::int64_t oldest =
      now.unix_s() / kUseStepSeconds[length] - static_cast<std::int64_t>(kUseStepsMax) + 1;
  std::vector<UseStep> steps;
  for (const UseStep& step : known.series->steps[length]) {
    if (step.number >= oldest) steps.push_back(step);
  }
  return steps;
}

}  // namespace stator

#include "engine/throughput/timeline.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "engine/capacity/token_bucket.h"

namespace stator::capacity {
namespace {

constexpr std::ptrdiff_t kGrowthsMax = 64;

}  // namespace

Timeline::Timeline(std::int64_t window_s, Timestamp now) : window_us_(window_s * kMicroPerUnit) {
  open_window(now);
}

bool Timeline::restore(const PersistedThroughput& persisted) {
  for (const PartitionSplit& due : persisted.splits_due)
    schedule({.at = due.at, .what = Change::What::HeatSplit, .boundary = due.boundary});
  for (const ScheduledThroughput& growth : persisted.growths_due)
    schedule({.at = growth.at, .what = Change::What::Grow, .warm_to = growth.to});
  if (const auto& warming = persisted.warming)
    schedule({.at = warming->at, .what = Change::What::Warm, .warm_to = warming->to});
  return !changes_.empty();
}

void Timeline::schedule(Change change) {
  const auto is_growth = [](const Change& one) { return one.what == Change::What::Grow; };
  if (is_growth(change) &&
      std::count_if(changes_.begin(), changes_.end(), is_growth) >= kGrowthsMax) {
    const auto last = std::find_if(changes_.rbegin(), changes_.rend(), is_growth);
    change.warm_to = highest(change.warm_to, last->warm_to);
    changes_.erase(std::next(last).base());
  }
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), change,
                       [](const Change& left, const Change& right) { return left.at < right.at; });
  changes_.insert(after, std::move(change));
}

void Timeline::cancel(Change::What what) {
  std::erase_if(changes_, [what](const Change& change) { return change.what == what; });
}

bool Timeline::has(Change::What what) const {
  return std::any_of(changes_.begin(), changes_.end(),
                     [what](const Change& change) { return change.what == what; });
}

bool Timeline::has_boost(const Position& begin, Dimension dimension) const {
  return std::any_of(changes_.begin(), changes_.end(), [&](const Change& change) {
    return change.what == Change::What::Boost && change.dimension == dimension &&
           change.boundary == begin;
  });
}

Timeline::Change Timeline::take_next() {
  Change next = std::move(changes_.front());
  changes_.erase(changes_.begin());
  return next;
}

void Timeline::open_window(Timestamp at) {
  window_end_ = {(at.unix_us / window_us_ + 1) * window_us_};
}

std::vector<PartitionSplit> Timeline::heat_splits() const {
  std::vector<PartitionSplit> splits;
  for (const Change& change : changes_) {
    if (change.what == Change::What::HeatSplit)
      splits.push_back({change.at, change.boundary, SplitCause::Heat});
  }
  return splits;
}

std::vector<ScheduledThroughput> Timeline::growths() const {
  std::vector<ScheduledThroughput> growths;
  for (const Change& change : changes_) {
    if (change.what == Change::What::Grow) growths.push_back({change.at, change.warm_to});
  }
  return growths;
}

std::optional<ScheduledThroughput> Timeline::warming() const {
  std::optional<ScheduledThroughput> warming;
  for (const Change& change : changes_) {
    if (change.what == Change::What::Warm) warming = ScheduledThroughput{change.at, change.warm_to};
  }
  return warming;
}

}  // namespace stator::capacity

#include "engine/capacity/heat_watch.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

namespace stator::capacity {

void HeatWatch::add(const Place& place, std::int64_t units_milli) {
  if (busy_.test_and_set(std::memory_order_acquire)) return;
  Window& open = windows_.back();
  const bool is_first = open.places.entries().empty();
  if (is_first || compare(place, open.first) < 0) {
    open.first = {place.hash, std::string(position_sort(place))};
  }
  if (is_first || compare(place, open.last) > 0) {
    open.last = {place.hash, std::string(position_sort(place))};
  }
  open.places.add(place.hash, place.sort, units_milli);
  unlock();
}

void HeatWatch::end_window(bool was_hot) {
  lock();
  if (!was_hot) windows_.clear();
  // Holds windows_max_ retained windows and the open one.
  if (windows_.size() > windows_max_) windows_.erase(windows_.begin());
  windows_.emplace_back();
  unlock();
}

// Whether each window's positions are all after, or all before, those of the previous window.
bool HeatWatch::is_sequential() const {
  if (windows_.size() < 3) return false;  // one retained and the open one show no direction
  bool rises = true;
  bool falls = true;
  for (std::size_t i = 1; i + 1 < windows_.size(); ++i) {
    rises = rises && windows_[i].first > windows_[i - 1].last;
    falls = falls && windows_[i].last < windows_[i - 1].first;
  }
  return rises || falls;
}

std::optional<Position> HeatWatch::split_point() const {
  lock();
  std::map<Position, std::int64_t> demand;
  const bool helps = !is_sequential();
  for (std::size_t i = 0; helps && i + 1 < windows_.size(); ++i) {
    for (const KeySketch::Entry& entry : windows_[i].places.entries()) {
      demand[{entry.hash, entry.bytes}] += entry.units_milli;
    }
  }
  unlock();
  if (demand.size() < 2) return std::nullopt;
  std::int64_t total = 0;
  for (const auto& [position, units_milli] : demand) total += units_milli;
  std::int64_t before = 0;
  std::int64_t nearest = total + 1;
  std::optional<Position> point;
  for (const auto& [position, units_milli] : demand) {
    // Twice the distance from half of the total.
    const std::int64_t distance = std::abs(2 * before - total);
    if (before > 0 && distance < nearest) {
      nearest = distance;
      point = position;
    }
    before += units_milli;
  }
  return point;
}

}  // namespace stator::capacity

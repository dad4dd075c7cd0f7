#include "engine/capacity/partition_heat.h"

#include <cstddef>
#include <string_view>

#include "engine/schema/capacity.h"

namespace stator::capacity {
namespace {

// A watch starts once consumption reaches a tenth of a hot window.
constexpr std::int64_t kWatchedPart = 10;

}  // namespace

std::int64_t PartitionHeat::hot_milli(Dimension dimension) const {
  return limit_units(parameters_, dimension) * parameters_.window_s * kMilliPerUnit *
         parameters_.heat_threshold_pct / 100;
}

// Cold partitions have no watch: a watch takes some kilobytes and stays.
void PartitionHeat::feel(Partition& partition, Dimension dimension, const Place& place,
                         std::int64_t units_milli, bool was_refused,
                         bool divides_collections) const {
  if (!parameters_.heat_split) return;
  Partition::Side& felt = partition.side(dimension);
  HeatWatch* watch = felt.watch.load(std::memory_order_acquire);
  if (watch == nullptr) {
    const bool is_warm =
        felt.window_milli.load(std::memory_order_relaxed) >= hot_milli(dimension) / kWatchedPart;
    if (!is_warm && !was_refused) return;
    watch = &felt.watched(static_cast<std::size_t>(parameters_.heat_windows));
  }
  watch->add({.hash = place.hash, .sort = divides_collections ? place.sort : std::string_view()},
             units_milli);
}

std::optional<Position> PartitionHeat::end_window(Partition& partition, Dimension dimension,
                                                  bool may_split) const {
  Partition::Side& part = partition.side(dimension);
  const std::int64_t consumed_milli = part.window_milli.exchange(0, std::memory_order_relaxed);
  part.minute_milli.store(consumed_milli, std::memory_order_relaxed);
  part.ended_milli.fetch_add(consumed_milli, std::memory_order_relaxed);
  const bool was_hot = consumed_milli >= hot_milli(dimension);
  part.hot_windows = was_hot ? part.hot_windows + 1 : 0;
  HeatWatch* watch = part.watch.load(std::memory_order_acquire);
  if (watch == nullptr) return std::nullopt;
  watch->end_window(was_hot);
  if (part.hot_windows < parameters_.heat_windows || partition.is_splitting || !may_split)
    return std::nullopt;
  std::optional<Position> boundary = watch->split_point();
  partition.is_splitting = boundary.has_value();
  return boundary;
}

}  // namespace stator::capacity

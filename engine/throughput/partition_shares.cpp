#include "engine/throughput/partition_shares.h"

#include <algorithm>
#include <cstdint>

#include "engine/schema/capacity.h"
#include "engine/throughput/own_buckets.h"

namespace stator::capacity {

void PartitionShares::share_out(const CapacitySettings& settings, Timestamp now) {
  if (parameters_.adaptive_mode == AdaptiveMode::Instant) return;
  const bool are_separate = has_shares(settings.mode, parameters_);
  const auto count = static_cast<std::int32_t>(partitions_.count());
  for (Partition* partition : partitions_.all()) {
    for (const Dimension dimension : kBothDimensions) {
      Partition::Side& part = partition->side(dimension);
      const Rate rate{.units = are_separate ? units_of(settings.provisioned, dimension) : 0,
                      .per = count,
                      .burst_s = static_cast<std::int32_t>(parameters_.burst_s)};
      part.is_boosted = timeline_.has_boost(partition->begin, dimension);
      if (part.share.is_limit()) {
        part.share.set_rate(rate, now);
      } else {
        part.share.begin(rate, parameters_.initial_burst_s, now);
      }
    }
  }
}

void PartitionShares::boost(const Position& begin, Dimension dimension, Timestamp at) {
  Partition& boosted = partitions_.at(begin);
  Rate rate = boosted.side(dimension).share.rate();
  if (rate.units == 0) return;
  const std::int64_t open_us = timeline_.open_us(at);
  for (Partition* other : partitions_.all()) {
    if (other == &boosted) continue;
    const Partition::Side& part = other->side(dimension);
    const std::int64_t consumed_milli = open_us > 0 ? part.window_milli : part.minute_milli;
    const std::int64_t elapsed_us = open_us > 0 ? open_us : timeline_.window_us();
    const std::int64_t consumed_units =
        consumed_milli * (kMicroPerUnit / kMilliPerUnit) * rate.per / elapsed_us;
    rate.units += std::max<std::int64_t>(0, part.share.rate().units - consumed_units);
  }
  rate.units = std::min(rate.units, limit_units(parameters_, dimension) * rate.per);
  boosted.side(dimension).share.set_rate(rate, at);
}

}  // namespace stator::capacity

#include "engine/throughput/change_quotas.h"

#include <algorithm>
#include <chrono>

namespace stator::capacity {

Timestamp next_decrease(const ThroughputHistory& history, Timestamp now,
                        const ChangeQuotas& quotas) {
  if (history.decreases_on(now) < quotas.decreases_at_once) return now;
  constexpr std::int64_t kDay_us = std::int64_t{86'400} * 1'000'000;
  const Timestamp midnight{(now.unix_us / kDay_us + 1) * kDay_us};
  const Timestamp rested =
      history.last_decrease->plus(std::chrono::seconds(quotas.decrease_interval_s));
  return std::max(now, std::min(rested, midnight));
}

Timestamp next_on_demand_switch(std::span<const Timestamp> switches, Timestamp now,
                                const ChangeQuotas& quotas) {
  const auto counted = static_cast<std::size_t>(quotas.mode_switches);
  if (switches.size() < counted) return now;
  const Timestamp first = switches[switches.size() - counted];
  return std::max(now, first.plus(std::chrono::seconds(quotas.mode_switch_interval_s)));
}

}  // namespace stator::capacity

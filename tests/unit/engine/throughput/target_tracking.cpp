#include "tests/unit/engine/throughput/target_tracking.h"

#include <algorithm>

namespace stator::capacity::test {
namespace {

constexpr std::size_t kMinutesOut = 2;
constexpr std::size_t kMinutesIn = 15;
constexpr std::int64_t kSeconds = 60;  // of a minute

bool is_within(std::optional<std::int64_t> scaled, std::int64_t minute, std::int64_t cooldown_s) {
  return scaled && (minute - *scaled) * kSeconds < cooldown_s;
}

// Nothing is published for targets other than 70, whose lower bound is 50.
std::int64_t low_pct(std::int64_t target_pct) { return std::max(target_pct - 20, target_pct / 2); }

}  // namespace

std::int64_t TargetTracking::wanted(std::size_t minutes) const {
  const std::int64_t busiest = *std::max_element(
      consumed_units_.end() - static_cast<std::ptrdiff_t>(minutes), consumed_units_.end());
  const std::int64_t per_unit = kSeconds * policy_.target_pct;
  const std::int64_t units = (busiest * 100 + per_unit - 1) / per_unit;
  return std::clamp(units, policy_.min_units, policy_.max_units);
}

bool TargetTracking::all_of_last(std::size_t minutes, bool above,
                                 std::int64_t threshold_pct) const {
  if (consumed_units_.size() < minutes) return false;
  const std::int64_t threshold = provisioned_units_ * kSeconds * threshold_pct;
  return std::all_of(consumed_units_.end() - static_cast<std::ptrdiff_t>(minutes),
                     consumed_units_.end(), [above, threshold](std::int64_t units) {
                       return above ? units * 100 > threshold : units * 100 < threshold;
                     });
}

std::optional<std::int64_t> TargetTracking::end_minute(std::int64_t consumed_units) {
  const std::int64_t minute = minute_++;
  if (consumed_units_.size() == kMinutesIn) consumed_units_.erase(consumed_units_.begin());
  consumed_units_.push_back(consumed_units);
  if (all_of_last(kMinutesOut, /*above=*/true, policy_.target_pct)) {
    const std::int64_t units = wanted(kMinutesOut);
    if (units <= provisioned_units_) return std::nullopt;
    provisioned_units_ = units;
    return units;
  }
  if (!policy_.can_scale_in || is_within(scaled_in_, minute, policy_.scale_in_cooldown_s) ||
      !all_of_last(kMinutesIn, /*above=*/false, low_pct(policy_.target_pct))) {
    return std::nullopt;
  }
  const std::int64_t units = wanted(kMinutesIn);
  if (units >= provisioned_units_) return std::nullopt;
  scaled_in_ = minute;
  provisioned_units_ = units;
  return units;
}

}  // namespace stator::capacity::test

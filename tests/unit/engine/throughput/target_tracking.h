// TargetTracking: a policy of auto scaling, which keeps the consumption of a provisioned table or
// index near a part of what is provisioned. The cooldown of scaling out is not here: within it only
// more than before may be provisioned, and nothing else is ever asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stator::capacity::test {

struct TargetTrackingPolicy {
  std::int64_t min_units = 1;
  std::int64_t max_units = 40'000;
  std::int64_t target_pct = 70;
  std::int64_t scale_in_cooldown_s = 0;
  bool can_scale_in = true;
};

class TargetTracking {
 public:
  TargetTracking(const TargetTrackingPolicy& policy, std::int64_t provisioned_units)
      : policy_(policy), provisioned_units_(provisioned_units) {}

  // A minute is over in which so many units were consumed, rounded up. The units to provision from
  // now on, when they change: more behind two minutes above the target, fewer behind fifteen well
  // below it.
  std::optional<std::int64_t> end_minute(std::int64_t consumed_units);

  // Somebody else changed what is provisioned; it stays until a minute says otherwise.
  void set_provisioned(std::int64_t units) { provisioned_units_ = units; }

 private:
  // What the busiest of the last minutes would take.
  std::int64_t wanted(std::size_t minutes) const;
  bool all_of_last(std::size_t minutes, bool above, std::int64_t threshold_pct) const;

  TargetTrackingPolicy policy_;
  std::int64_t provisioned_units_;
  std::int64_t minute_ = 0;
  std::optional<std::int64_t> scaled_in_;     // the minute
  std::vector<std::int64_t> consumed_units_;  // of the last minutes
};

}  // namespace stator::capacity::test

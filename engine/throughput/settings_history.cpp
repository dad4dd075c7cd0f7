#include "engine/throughput/settings_history.h"

#include <cstddef>

#include "engine/throughput/change_quotas.h"

namespace stator::capacity {
namespace {

const auto kSwitchesMax = static_cast<std::size_t>(ChangeQuotas().mode_switches);

}  // namespace

void SettingsHistory::request(const CapacitySettings& settings, Timestamp now) {
  // A scheduled switch was counted when it was requested.
  const BillingMode last_mode = (requested_ ? *requested_ : current_).mode;
  requested_ = settings;
  if (settings.mode == last_mode || settings.mode != BillingMode::PayPerRequest) return;
  // A switch that the cloud would have rejected does not count.
  if (next_on_demand_switch(on_demand_switches_, now) > now) return;
  if (on_demand_switches_.size() >= kSwitchesMax)
    on_demand_switches_.erase(on_demand_switches_.begin());
  on_demand_switches_.push_back(now);
}

bool SettingsHistory::apply_requested() {
  const bool changes_mode = requested_->mode != current_.mode;
  current_ = *requested_;
  requested_.reset();
  return changes_mode;
}

}  // namespace stator::capacity

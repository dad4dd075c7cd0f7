// SettingsHistory: the capacity settings in force, those requested for later, and the latest
// switches to on-demand mode. One thread at a time.
#pragma once

#include <optional>
#include <vector>

#include "engine/seams/clock.h"
#include "engine/throughput/throughput_values.h"

namespace stator::capacity {

class SettingsHistory {
 public:
  explicit SettingsHistory(const CapacitySettings& settings) : current_(settings) {}

  const CapacitySettings& current() const { return current_; }
  // Whether a stream is enabled, by the current or by the requested settings.
  bool has_stream() const {
    return current_.has_stream || (requested_.has_value() && requested_->has_stream);
  }
  // Replaces settings requested before.
  void request(const CapacitySettings& settings, Timestamp now);
  // Puts the requested settings in force. Returns whether the mode changes. REQUIRES: there are
  // some.
  bool apply_requested();

  // The last times at which a switch to on demand was requested, rising; not the initial mode.
  const std::vector<Timestamp>& on_demand_switches() const { return on_demand_switches_; }
  void restore_switches(const std::vector<Timestamp>& switches) { on_demand_switches_ = switches; }

 private:
  CapacitySettings current_;
  std::optional<CapacitySettings> requested_;
  std::vector<Timestamp> on_demand_switches_;
};

}  // namespace stator::capacity

// LiveSettings: the settings that a verb may change while the server runs. A request uses those of
// the moment at which it was parsed. Nothing survives the process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/call/settings.h"

namespace stator {

// One of them, by its flag without dashes.
struct LiveSetting {
  std::string_view name;
  std::chrono::microseconds Settings::*value;
};
std::span<const LiveSetting> live_settings();

// Reads "0.5" (seconds, as of a flag) or "1m30s". The error is one line.
tl::expected<std::chrono::microseconds, std::string> parse_live_value(std::string_view text);

// Any thread may call everything.
class LiveSettings {
 public:
  // Bounds the memory: a request may refer to old values for as long as it runs.
  static constexpr std::size_t kChangesMax = 1'000;

  // `retain` makes the engine retain states of that age (Engine::retain_states).
  using Retain = std::function<void(std::chrono::microseconds age)>;
  // `at_start` must outlive this.
  LiveSettings(const Settings& at_start, Retain retain);

  // nullptr: nothing was changed yet.
  const Settings* changed() const { return current_.load(std::memory_order_acquire); }
  const Settings& now() const { return changed() != nullptr ? *changed() : at_start_; }

  struct Change {
    const LiveSetting* setting = nullptr;
    std::chrono::microseconds value{0};
  };
  // Makes all changes or none. Returns false after kChangesMax different ones.
  bool change(std::span<const Change> changes);
  // Whether a verb has set this one.
  bool is_changed(std::string_view name) const;

  // The age that stale reads on demand need; zero: none.
  void retain_for_faults(std::chrono::microseconds age);

 private:
  // REQUIRES: the mutex is held.
  void retain_states();

  const Settings& at_start_;
  const Retain retain_;
  std::atomic<const Settings*> current_{nullptr};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<const Settings>> versions_;  // guarded by mutex_
  std::set<std::string, std::less<>> changed_;             // names; guarded by mutex_
  std::chrono::microseconds age_of_faults_{0};             // guarded by mutex_
};

}  // namespace stator

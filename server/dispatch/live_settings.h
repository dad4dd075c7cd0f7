// LiveSettings: the settings that a verb may change while the server runs. A request uses those of
// the moment at which it was parsed; those of background work change at once, for all. Nothing
// survives the process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "engine/call/settings.h"

namespace stator {

// One of them, by its flag without dashes.
struct LiveSetting {
  enum class Kind : std::uint8_t { Time, Throttling, KeptRequests };
  std::string_view name;
  Kind kind = Kind::Time;
  std::chrono::microseconds Settings::*time = nullptr;  // of a Time
  bool is_of_engine = false;                            // Engine::change_settings() takes it
};
std::span<const LiveSetting> live_settings();

// By the kind of the setting; the last is a number of requests.
using LiveValue = std::variant<std::chrono::microseconds, Throttling, std::size_t>;

// Reads "0.5" (seconds, as of a flag) or "1m30s", the word of a mode, or a number. The error is one
// line.
tl::expected<LiveValue, std::string> parse_live_value(const LiveSetting& setting,
                                                      std::string_view text);

// Any thread may call everything, change() one at a time.
class LiveSettings {
 public:
  // Bounds the memory: a request may refer to old values for as long as it runs.
  static constexpr std::size_t kChangesMax = 1'000;

  enum class Outcome : std::uint8_t {
    Done,
    CountsNothing,  // throttling was off at the start, so it stays off
    TooMany,        // kChangesMax different ones were made
    NotStored,      // the engine could not commit it: nothing has changed
    NotFollowed,    // all is changed, but the engine could not adapt what waits
  };

  // Who is to know of changes. Each may be empty.
  struct Users {
    // Makes the engine retain states of that age (Engine::retain_states).
    std::function<void(std::chrono::microseconds age)> retain;
    // Engine::change_settings: Done, NotStored or NotFollowed.
    std::function<Outcome(const Settings& settings)> change_engine;
    // RecentRequests::resize.
    std::function<void(std::size_t count)> keep_requests;
  };
  // `at_start` must outlive this. `requests_kept` is of the start, too.
  LiveSettings(const Settings& at_start, std::size_t requests_kept, Users users);

  // nullptr: nothing was changed yet.
  const Settings* changed() const { return current_.load(std::memory_order_acquire); }
  const Settings& now() const { return changed() != nullptr ? *changed() : at_start_; }
  std::size_t requests_kept() const { return requests_kept_.load(std::memory_order_relaxed); }

  struct Change {
    const LiveSetting* setting = nullptr;
    LiveValue value;
  };
  // Makes all changes or none. May wait for a commit.
  Outcome change(std::span<const Change> changes);
  // Whether a verb has set this one.
  bool is_changed(std::string_view name) const;

  // The age that stale reads on demand need; zero: none.
  void retain_for_faults(std::chrono::microseconds age);

 private:
  // Returns nullptr if there are too many.
  const Settings* version_of(std::span<const Change> changes);
  // REQUIRES: the mutex is held.
  void retain_states();

  const Settings& at_start_;
  const Users users_;
  std::atomic<const Settings*> current_{nullptr};
  std::atomic<std::size_t> requests_kept_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<const Settings>> versions_;  // guarded by mutex_
  std::set<std::string, std::less<>> changed_;             // names; guarded by mutex_
  std::chrono::microseconds age_of_faults_{0};             // guarded by mutex_
};

}  // namespace stator

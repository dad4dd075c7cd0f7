#include "server/dispatch/live_settings.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "server/options/duration.h"

namespace stator {

namespace {

constexpr LiveSetting kLiveSettings[] = {
    {"control-plane-delay", &Settings::control_plane_delay},
    {"eventual-read-lag", &Settings::eventual_read_lag},
    {"transaction-time", &Settings::transaction_time},
    {"policy-lag", &Settings::policy_lag},
    {"ttl-cooldown", &Settings::ttl_cooldown},
    {"pitr-lag", &Settings::history_lag},
};

// As of the flags.
constexpr double kLiveSecondsMax = 1e6;

bool have_same_values(const Settings& left, const Settings& right) {
  return std::all_of(std::begin(kLiveSettings), std::end(kLiveSettings),
                     [&](const LiveSetting& one) { return left.*one.value == right.*one.value; });
}

}  // namespace

std::span<const LiveSetting> live_settings() { return kLiveSettings; }

tl::expected<std::chrono::microseconds, std::string> parse_live_value(std::string_view text) {
  const auto outside = [] {
    return tl::unexpected("the time is to be from 0 to " +
                          std::to_string(static_cast<int>(kLiveSecondsMax)) + " seconds");
  };
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
  if (read.ec == std::errc() && read.ptr == end) {
    const bool is_within = seconds >= 0 && seconds <= kLiveSecondsMax;  // false for NaN
    if (!is_within) return outside();
    return std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::duration<double>(seconds));
  }
  auto duration = parse_duration(text);
  if (duration && *duration > std::chrono::duration<double>(kLiveSecondsMax)) return outside();
  return duration;
}

LiveSettings::LiveSettings(const Settings& at_start, Retain retain)
    : at_start_(at_start), retain_(std::move(retain)) {}

bool LiveSettings::change(std::span<const Change> changes) {
  const std::scoped_lock lock(mutex_);
  auto next = std::make_unique<Settings>(now());
  for (const Change& one : changes) (*next).*one.setting->value = one.value;
  const auto same = std::find_if(versions_.begin(), versions_.end(), [&](const auto& version) {
    return have_same_values(*version, *next);
  });
  if (same == versions_.end() && versions_.size() == kChangesMax) return false;
  const Settings* const current =
      same != versions_.end() ? same->get() : versions_.emplace_back(std::move(next)).get();
  current_.store(current, std::memory_order_release);
  for (const Change& one : changes) changed_.emplace(one.setting->name);
  retain_states();
  return true;
}

bool LiveSettings::is_changed(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  return changed_.contains(name);
}

void LiveSettings::retain_for_faults(std::chrono::microseconds age) {
  const std::scoped_lock lock(mutex_);
  age_of_faults_ = age;
  retain_states();
}

void LiveSettings::retain_states() { retain_(std::max(age_of_faults_, now().eventual_read_lag)); }

}  // namespace stator

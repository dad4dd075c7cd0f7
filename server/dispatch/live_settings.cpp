#include "server/dispatch/live_settings.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "server/explain/requests/recent_requests.h"
#include "server/options/duration.h"
#include "server/options/flag_words.h"

namespace stator {

namespace {

using Kind = LiveSetting::Kind;

constexpr LiveSetting kLiveSettings[] = {
    {"control-plane-delay", Kind::Time, &Settings::control_plane_delay},
    {"gsi-delay", Kind::Time, &Settings::gsi_delay, /*is_of_engine=*/true},
    {"eventual-read-lag", Kind::Time, &Settings::eventual_read_lag},
    {"transaction-time", Kind::Time, &Settings::transaction_time},
    {"policy-lag", Kind::Time, &Settings::policy_lag},
    {"throttling", Kind::Throttling, nullptr, /*is_of_engine=*/true},
    {"ttl-delay", Kind::Time, &Settings::ttl_delay, /*is_of_engine=*/true},
    {"ttl-sweep-interval", Kind::Time, &Settings::ttl_sweep_interval, /*is_of_engine=*/true},
    {"ttl-cooldown", Kind::Time, &Settings::ttl_cooldown},
    {"pitr-lag", Kind::Time, &Settings::history_lag},
    {"explain", Kind::KeptRequests},
};

// As of the flags.
constexpr double kLiveSecondsMax = 1e6;

bool have_same_values(const Settings& left, const Settings& right) {
  return left.throttling == right.throttling &&
         std::all_of(std::begin(kLiveSettings), std::end(kLiveSettings),
                     [&](const LiveSetting& one) {
                       return one.kind != Kind::Time || left.*one.time == right.*one.time;
                     });
}

void set(Settings& settings, const LiveSettings::Change& change) {
  switch (change.setting->kind) {
    case Kind::Time:
      settings.*change.setting->time = std::get<std::chrono::microseconds>(change.value);
      break;
    case Kind::Throttling:
      settings.throttling = std::get<Throttling>(change.value);
      break;
    case Kind::KeptRequests:
      break;  // it is none of the engine's settings
  }
}

tl::expected<std::chrono::microseconds, std::string> read_time(std::string_view text) {
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

tl::expected<Throttling, std::string> read_mode(std::string_view text) {
  for (const Word<Throttling>& word : kThrottlings) {
    if (word.text == text) return word.value;
  }
  return tl::unexpected(std::string("the mode is to be off, observe or enforce"));
}

tl::expected<std::size_t, std::string> read_count(std::string_view text) {
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count);
  if (read.ec == std::errc() && read.ptr == end && count <= kRecentRequestsMax) return count;
  return tl::unexpected("the number is to be from 0 to " + std::to_string(kRecentRequestsMax));
}

}  // namespace

std::span<const LiveSetting> live_settings() { return kLiveSettings; }

tl::expected<LiveValue, std::string> parse_live_value(const LiveSetting& setting,
                                                      std::string_view text) {
  switch (setting.kind) {
    case Kind::Throttling:
      return read_mode(text);
    case Kind::KeptRequests:
      return read_count(text);
    case Kind::Time:
      break;
  }
  return read_time(text);
}

LiveSettings::LiveSettings(const Settings& at_start, std::size_t requests_kept, Users users)
    : at_start_(at_start), users_(std::move(users)), requests_kept_(requests_kept) {}

const Settings* LiveSettings::version_of(std::span<const Change> changes) {
  const std::scoped_lock lock(mutex_);
  auto next = std::make_unique<Settings>(now());
  for (const Change& one : changes) set(*next, one);
  const auto same = std::find_if(versions_.begin(), versions_.end(), [&](const auto& version) {
    return have_same_values(*version, *next);
  });
  if (same != versions_.end()) return same->get();
  if (versions_.size() == kChangesMax) return nullptr;
  return versions_.emplace_back(std::move(next)).get();
}

// The engine's commit comes without the mutex, which others must not wait for.
LiveSettings::Outcome LiveSettings::change(std::span<const Change> changes) {
  const bool counts = at_start_.throttling != Throttling::Off;
  const bool wants_counts = std::any_of(changes.begin(), changes.end(), [](const Change& one) {
    const auto* const mode = std::get_if<Throttling>(&one.value);
    return mode != nullptr && *mode != Throttling::Off;
  });
  if (wants_counts && !counts) return Outcome::CountsNothing;
  const Settings* const next = version_of(changes);
  if (next == nullptr) return Outcome::TooMany;
  const bool concerns_engine = std::any_of(
      changes.begin(), changes.end(), [](const Change& one) { return one.setting->is_of_engine; });
  Outcome outcome = Outcome::Done;
  if (concerns_engine && users_.change_engine) outcome = users_.change_engine(*next);
  if (outcome == Outcome::NotStored) return outcome;
  const std::scoped_lock lock(mutex_);
  current_.store(next, std::memory_order_release);
  for (const Change& one : changes) {
    changed_.emplace(one.setting->name);
    if (one.setting->kind != Kind::KeptRequests) continue;
    requests_kept_ = std::get<std::size_t>(one.value);
    if (users_.keep_requests) users_.keep_requests(requests_kept_);
  }
  retain_states();
  return outcome;
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

void LiveSettings::retain_states() {
  if (users_.retain) users_.retain(std::max(age_of_faults_, now().eventual_read_lag));
}

}  // namespace stator

#include "engine/reports/throttle_log.h"

#include <algorithm>

#include "engine/throughput/throughput_state.h"

namespace stator {
namespace {

using capacity::ThrottleTally;
using capacity::ThroughputState;
using throttle_text::Counts;
using throttle_text::Total;

constexpr std::int64_t kMicroPerMinute = 60'000'000;
constexpr std::size_t kTablesInSummary = 20;
constexpr std::size_t kIndexesInLine = 20;  // they come and go within a minute
constexpr std::size_t kTablesMax = 10'000;
constexpr std::size_t kEnteredMax = 2 * kTablesMax;  // tables and indexes, also deleted ones

Timestamp minute_end(Timestamp at) {
  return {(at.unix_us / kMicroPerMinute + 1) * kMicroPerMinute};
}

// A table that requests cannot see has a label without an access key.
TableLabel label(const std::string& scope, const std::string& region, const std::string& name,
                 Isolation isolation) {
  return label_of(scope, region, name, isolation).value_or(TableLabel{region, {}, name});
}

}  // namespace

ThrottleLog::~ThrottleLog() {
  for (ThrottleTally* left = entered_.exchange(nullptr); left != nullptr;) {
    // The state owns the tally.
    const std::shared_ptr<ThroughputState> state = std::move(left->state);
    left->table.reset();
    left = left->next;
  }
}

bool ThrottleLog::is_sooner(Timestamp due) {
  std::int64_t known = due_us_.load();
  while (due.unix_us < known) {
    if (due_us_.compare_exchange_weak(known, due.unix_us)) return true;
  }
  return false;
}

std::optional<Timestamp> ThrottleLog::note(std::span<const RefusedEvent> refused,
                                           std::span<const EarlyChange> limited) {
  if (refused.empty() && limited.empty()) return std::nullopt;
  std::optional<Timestamp> due;
  for (const RefusedEvent& event : refused) {
    // This thread counts, then checks is_listed; the thread that takes the list clears is_listed,
    // then reads the count. So at least one of them sees the other's change.
    event.table->throughput->tally()->events[static_cast<std::size_t>(event.dimension)].fetch_add(
        1);
    bool is_new = false;
    for (const auto& state : event.states) {
      const bool refuses = std::any_of(event.by.begin(), event.by.end(),
                                       [&state](const auto& one) { return one.of == state.get(); });
      if (refuses) is_new = enter(state, event) || is_new;
    }
    if (is_new && is_sooner(minute_end(event.at))) due = minute_end(event.at);
  }
  for (const EarlyChange& event : limited) {
    note_change(event);
    if (is_sooner(minute_end(event.at))) due = minute_end(event.at);
  }
  return due;
}

// Returns whether it was added.
bool ThrottleLog::enter(const std::shared_ptr<ThroughputState>& state, const RefusedEvent& event) {
  ThrottleTally& tally = *state->tally();
  if (tally.is_listed.load() || entered_count_.load(std::memory_order_relaxed) >= kEnteredMax)
    return false;
  if (tally.is_listed.exchange(true)) return false;
  entered_count_.fetch_add(1, std::memory_order_relaxed);
  tally.state = state;
  tally.table = event.table;
  tally.is_enforced =
      event.table->throttling.load(std::memory_order_relaxed) == Throttling::Enforce;
  tally.first = event.at;
  tally.next = entered_.load(std::memory_order_relaxed);
  while (!entered_.compare_exchange_weak(tally.next, &tally, std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
  return true;
}

void ThrottleLog::note_change(const EarlyChange& event) {
  const std::lock_guard lock(mutex_);
  const TableLabel table = label(event.scope, event.region, event.table_name, isolation_);
  Minute* minute =
      find_minute(table, event.table, event.at,
                  event.table->throttling.load(std::memory_order_relaxed) == Throttling::Enforce);
  if (minute == nullptr) return;
  ++minute->changes[static_cast<std::size_t>(event.change)];
  if (!event.index_name.empty() && minute->changed_indexes.size() < kIndexesInLine)
    minute->changed_indexes.insert(event.index_name);
}

// Creates the minute if needed. Returns nullptr if there are too many.
ThrottleLog::Minute* ThrottleLog::find_minute(const TableLabel& label,
                                              const std::shared_ptr<TableRuntime>& table,
                                              Timestamp at, bool is_enforced) {
  const Key key{label, table.get()};
  if (minutes_.size() >= kTablesMax && minutes_.count(key) == 0) return nullptr;
  const auto [found, is_new] = minutes_.try_emplace(key);
  Minute& minute = found->second;
  if (is_new) minute = {table, is_enforced, at, {}, {}, {}};
  minute.first = std::min(minute.first, at);
  return &minute;
}

void ThrottleLog::take_entered() {
  ThrottleTally* left = entered_.exchange(nullptr, std::memory_order_acquire);
  while (left != nullptr) {
    ThrottleTally& tally = *left;
    left = tally.next;
    const TableLabel table =
        label(tally.of.scope, tally.of.region, tally.of.table_name, isolation_);
    const std::shared_ptr<TableRuntime> runtime = std::move(tally.table);
    const std::shared_ptr<ThroughputState> state = std::move(tally.state);
    Minute* minute = find_minute(table, runtime, tally.first, tally.is_enforced);
    if (minute != nullptr) {
      minute->refusing.push_back(state);
    } else {
      entered_count_.fetch_sub(1, std::memory_order_relaxed);
      tally.is_listed.store(false);
    }
  }
}

void ThrottleLog::tell_requests(const TableLabel& label, const Minute& minute, Total& total,
                                Timestamp now) {
  std::vector<throttle_text::ThrottleSource> by;
  for (const auto& state : minute.refusing) {
    entered_count_.fetch_sub(1, std::memory_order_relaxed);
    state->tally()->is_listed.store(false);
    const capacity::TallyOf& of = state->tally()->of;
    by.push_back({of.index_name, of.key_types, state->take_unreported(now)});
  }
  std::sort(by.begin(), by.end(),
            [](const auto& left, const auto& right) { return left.index_name < right.index_name; });
  ThrottleTally& counted = *minute.table->throughput->tally();
  Counts refused{};
  Counts requests{};
  for (std::size_t i = 0; i < capacity::kDimensions; ++i) {
    const std::uint64_t known = counted.events[i].load();
    refused[i] = known - std::exchange(counted.events_told[i], known);
    requests[i] =
        std::max(minute.table->requests[i].in(MinuteCount::minute_of(minute.first)), refused[i]);
    total.refused[i] += refused[i];
  }
  total.add(by);
  const bool is_any = refused != Counts{};
  if (is_any) {
    warnings_.tell(throttle_text::line({label, minute.is_enforced, refused, requests, by}));
  }
}

void ThrottleLog::end_minute(const TableLabel& label, const Minute& minute, Timestamp now) {
  Total left_out;
  const bool has_room = totals_.size() < kTablesMax || totals_.count(label) > 0;
  Total& total = has_room ? totals_[label] : left_out;
  total.is_enforced = minute.is_enforced;
  if (!minute.refusing.empty()) tell_requests(label, minute, total, now);
  if (minute.changes == throttle_text::ChangeCounts{}) return;
  for (std::size_t i = 0; i < kLimitedChanges; ++i) total.changes[i] += minute.changes[i];
  warnings_.tell(throttle_text::change_line(label, minute.is_enforced, minute.changes,
                                            minute.changed_indexes));
}

std::optional<Timestamp> ThrottleLog::next_due() const {
  const std::int64_t due_us = due_us_.load();
  if (due_us == Timestamp::max().unix_us) return std::nullopt;
  return Timestamp{due_us};
}

void ThrottleLog::log_due(Timestamp now) {
  if (now.unix_us < due_us_.load()) return;
  const std::lock_guard lock(mutex_);
  // A thread that adds an entry after this sets it again.
  due_us_.store(Timestamp::max().unix_us);
  take_entered();
  for (auto next = minutes_.begin(); next != minutes_.end();) {
    const auto& [key, minute] = *next;
    if (minute_end(minute.first) > now) {
      is_sooner(minute_end(minute.first));
      ++next;
      continue;
    }
    end_minute(key.first, minute, now);
    next = minutes_.erase(next);
  }
}

void ThrottleLog::log_summary(Timestamp now) {
  const std::lock_guard lock(mutex_);
  take_entered();
  for (const auto& [key, minute] : minutes_) end_minute(key.first, minute, now);
  minutes_.clear();
  std::vector<std::pair<const TableLabel*, const Total*>> worst;
  for (const auto& [label, total] : totals_) worst.emplace_back(&label, &total);
  std::stable_sort(worst.begin(), worst.end(), [](const auto& left, const auto& right) {
    return left.second->all() > right.second->all();
  });
  for (std::size_t i = 0; i < std::min(worst.size(), kTablesInSummary); ++i) {
    for (const std::string& line : throttle_text::total_lines(*worst[i].first, *worst[i].second))
      warnings_.tell(line);
  }
  if (worst.size() > kTablesInSummary) {
    warnings_.tell("and of " + std::to_string(worst.size() - kTablesInSummary) +
                   " more tables, see --throttling");
  }
}

}  // namespace stator

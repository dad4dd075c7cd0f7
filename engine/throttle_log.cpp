#include "engine/throttle_log.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/capacity/throughput_state.h"

namespace stator {
namespace {

constexpr std::int64_t kMicroPerMinute = 60'000'000;
constexpr std::size_t kTablesInSummary = 20;
constexpr std::size_t kIndexesInLine = 20;  // they come and go within a minute
constexpr std::size_t kTablesMax = 10'000;
constexpr std::array<std::string_view, capacity::kDimensions> kNouns = {"reads", "writes"};

using Counts = std::array<std::uint64_t, capacity::kDimensions>;

// 4000 -> 4,000
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

// `of`: all of them; nullptr leaves it out.
std::string counted(const Counts& refused, const Counts* of) {
  std::string text;
  for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
    if (refused[i] == 0) continue;
    if (!text.empty()) text += " and ";
    text += grouped(refused[i]);
    if (of != nullptr) text += " of " + grouped((*of)[i]);
    text.append(" ").append(kNouns[i]);
  }
  return text;
}

std::string_view verb(bool is_enforced) {
  return is_enforced ? " were throttled" : " would have been throttled";
}

std::string counted_changes(const std::array<std::uint64_t, kLimitedChanges>& changes,
                            bool is_enforced) {
  // One, and several.
  constexpr std::array<std::array<std::string_view, 2>, kLimitedChanges> kChanges = {
      {{"decrease of throughput", "decreases of throughput"},
       {"switch to on-demand mode", "switches to on-demand mode"}}};
  std::string text;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < kLimitedChanges; ++i) {
    if (changes[i] == 0) continue;
    if (!text.empty()) text += " and ";
    text.append(grouped(changes[i])).append(" ").append(kChanges[i][changes[i] == 1 ? 0 : 1]);
    all += changes[i];
  }
  if (!is_enforced) return text + " would have been refused";
  return text + (all == 1 ? " was refused" : " were refused");
}

bool any(std::span<const std::uint64_t> counts) {
  return std::any_of(counts.begin(), counts.end(), [](std::uint64_t one) { return one > 0; });
}

// As text where it is, else as hexadecimal digits.
std::string shown_key(std::string_view bytes) {
  const bool is_text = std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F;
  });
  if (is_text) return "\"" + std::string(bytes) + "\"";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex = "0x";
  for (const char c : bytes) {
    hex.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    hex.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return hex;
}

std::string hottest(const capacity::ThroughputReport& report) {
  std::size_t at = 0;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < report.partitions.size(); ++i) {
    std::uint64_t refused = 0;
    for (const auto& side : report.partitions[i].sides) refused += side.refused;
    if (refused <= most) continue;
    most = refused;
    at = i;
  }
  std::string text = ", hottest partition " + std::to_string(at + 1) + " of " +
                     std::to_string(report.partitions.size());
  if (!report.throttled_keys.empty())
    text += ", key " + shown_key(report.throttled_keys.front().bytes);
  return text;
}

}  // namespace

ThrottleLog::Minute* ThrottleLog::minute_at(const std::shared_ptr<Runtime>& table,
                                            const std::string& name, Timestamp at,
                                            std::optional<Timestamp>& begun) {
  if (minutes_.size() >= kTablesMax && minutes_.count(table) == 0) return nullptr;
  const auto [found, is_new] = minutes_.try_emplace(table);
  Minute& minute = found->second;
  if (is_new) {
    minute.table_name = name;
    minute.is_enforced = table->throttling.load() == Throttling::Enforce;
    minute.number = MinuteCount::minute_of(at);
    minute.end = {(at.unix_us / kMicroPerMinute + 1) * kMicroPerMinute};
    begun = begun ? std::min(*begun, minute.end) : minute.end;
  }
  return &minute;
}

std::optional<Timestamp> ThrottleLog::note(std::span<const RefusedEvent> refused,
                                           std::span<const LimitedEvent> limited) {
  if (refused.empty() && limited.empty()) return std::nullopt;
  std::optional<Timestamp> begun;
  const std::lock_guard lock(mutex_);
  for (const RefusedEvent& event : refused) {
    Minute* minute = minute_at(event.table, event.table_name, event.at, begun);
    if (minute == nullptr) continue;
    if (minute->state == nullptr) {
      minute->index_name = event.index_name;
      minute->state = event.first;
    }
    ++minute->refused[static_cast<std::size_t>(event.dimension)];
    for (const capacity::Refusal& refusal : event.by)
      ++minute->reasons[std::string(to_text(refusal.reason))];
  }
  for (const LimitedEvent& event : limited) {
    Minute* minute = minute_at(event.table, event.table_name, event.at, begun);
    if (minute == nullptr) continue;
    ++minute->changes[static_cast<std::size_t>(event.change)];
    if (!event.index_name.empty() && minute->changed_indexes.size() < kIndexesInLine)
      minute->changed_indexes.insert(event.index_name);
  }
  return begun;
}

std::optional<Timestamp> ThrottleLog::next_due() const {
  const std::lock_guard lock(mutex_);
  std::optional<Timestamp> due;
  for (const auto& [table, minute] : minutes_) due = due ? std::min(*due, minute.end) : minute.end;
  return due;
}

std::string ThrottleLog::line(const Runtime& table, const Minute& minute, Timestamp now) const {
  Counts requests{};
  for (std::size_t i = 0; i < capacity::kDimensions; ++i) {
    requests[i] = std::max(table.requests[i].in(minute.number), minute.refused[i]);
  }
  const auto reason =
      std::max_element(minute.reasons.begin(), minute.reasons.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string of_index = minute.index_name.empty() ? "" : " of index " + minute.index_name;
  return "table " + minute.table_name + ": " + counted(minute.refused, &requests) +
         std::string(verb(minute.is_enforced)) + ": " + reason->first + of_index +
         hottest(minute.state->report(now));
}

std::string ThrottleLog::change_line(const Minute& minute) {
  std::string of;
  for (const std::string& index : minute.changed_indexes)
    of.append(of.empty() ? "" : ", ").append(index);
  if (!of.empty()) of = (minute.changed_indexes.size() == 1 ? " of index " : " of indexes ") + of;
  return "table " + minute.table_name + ": " + counted_changes(minute.changes, minute.is_enforced) +
         ": LimitExceededException" + of;
}

void ThrottleLog::end_minute(const Runtime& table, const Minute& minute, Timestamp now) {
  if (any(minute.refused)) warnings_.tell(line(table, minute, now));
  if (any(minute.changes)) warnings_.tell(change_line(minute));
  if (totals_.size() >= kTablesMax && totals_.count(minute.table_name) == 0) return;
  Total& total = totals_[minute.table_name];
  total.is_enforced = minute.is_enforced;
  for (std::size_t i = 0; i < capacity::kDimensions; ++i) total.refused[i] += minute.refused[i];
  for (std::size_t i = 0; i < kLimitedChanges; ++i) total.changes[i] += minute.changes[i];
}

void ThrottleLog::tell_due(Timestamp now) {
  const std::lock_guard lock(mutex_);
  for (auto next = minutes_.begin(); next != minutes_.end();) {
    const auto& [table, minute] = *next;
    if (minute.end > now) {
      ++next;
      continue;
    }
    end_minute(*table, minute, now);
    next = minutes_.erase(next);
  }
}

void ThrottleLog::tell_summary(Timestamp now) {
  const std::lock_guard lock(mutex_);
  for (const auto& [table, minute] : minutes_) end_minute(*table, minute, now);
  minutes_.clear();
  std::size_t told = 0;
  for (const auto& [name, total] : totals_) {
    if (++told > kTablesInSummary) break;
    const std::string begin = "in all, of table " + name + ": ";
    if (any(total.refused)) {
      warnings_.tell(begin + counted(total.refused, nullptr) +
                     std::string(verb(total.is_enforced)));
    }
    if (any(total.changes))
      warnings_.tell(begin + counted_changes(total.changes, total.is_enforced));
  }
  if (totals_.size() > kTablesInSummary) {
    warnings_.tell("and of " + std::to_string(totals_.size() - kTablesInSummary) +
                   " more tables, see --throttling");
  }
}

}  // namespace stator

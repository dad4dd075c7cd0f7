#include "engine/throttle_log.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/capacity/throughput_state.h"

namespace stator {
namespace {

constexpr std::int64_t kMicroPerMinute = 60'000'000;
constexpr std::size_t kTablesInSummary = 20;
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

std::optional<Timestamp> ThrottleLog::note(std::span<const RefusedEvent> refused) {
  if (refused.empty()) return std::nullopt;
  std::optional<Timestamp> begun;
  const std::lock_guard lock(mutex_);
  for (const RefusedEvent& event : refused) {
    if (minutes_.size() >= kTablesMax && minutes_.count(event.table) == 0) continue;
    const auto [found, is_new] = minutes_.try_emplace(event.table);
    Minute& minute = found->second;
    if (is_new) {
      minute.table_name = event.table_name;
      minute.index_name = event.index_name;
      minute.state = event.first;
      minute.is_enforced = event.table->throttling.load() == Throttling::Enforce;
      minute.number = MinuteCount::minute_of(event.at);
      minute.end = {(event.at.unix_us / kMicroPerMinute + 1) * kMicroPerMinute};
      begun = begun ? std::min(*begun, minute.end) : minute.end;
    }
    ++minute.refused[static_cast<std::size_t>(event.dimension)];
    for (const capacity::Refusal& refusal : event.by)
      ++minute.reasons[std::string(to_text(refusal.reason))];
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

void ThrottleLog::end_minute(const Runtime& table, const Minute& minute, Timestamp now) {
  warnings_.tell(line(table, minute, now));
  if (totals_.size() >= kTablesMax && totals_.count(minute.table_name) == 0) return;
  Total& total = totals_[minute.table_name];
  total.is_enforced = minute.is_enforced;
  for (std::size_t i = 0; i < capacity::kDimensions; ++i) total.refused[i] += minute.refused[i];
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
    warnings_.tell("in all, of table " + name + ": " + counted(total.refused, nullptr) +
                   std::string(verb(total.is_enforced)));
  }
  if (totals_.size() > kTablesInSummary) {
    warnings_.tell("and of " + std::to_string(totals_.size() - kTablesInSummary) +
                   " more tables, see --throttling");
  }
}

}  // namespace stator

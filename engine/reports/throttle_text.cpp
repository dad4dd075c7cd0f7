#include "engine/reports/throttle_text.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "engine/reports/reported_key.h"
#include "protocol/text/shown_number.h"

namespace stator::throttle_text {
namespace {

using capacity::Dimension;
using capacity::Limit;
using capacity::ThrottlingReason;
using capacity::UnreportedThrottles;

constexpr std::array<std::string_view, capacity::kDimensions> kNouns = {"reads", "writes"};

// `of` is the total; nullptr leaves it out.
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

std::string counted_changes(const ChangeCounts& changes, bool is_enforced) {
  // Singular and plural.
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

// Distinguishes tables of the same name.
std::string shown_place(const TableLabel& table) {
  std::string text = " (" + table.region;
  if (!table.access_key.empty()) text += ", access key " + table.access_key;
  return text + ")";
}

// Calls visit(source, reason, side, count) for each reason that throttled requests.
template <class Visit>
void for_each_reason(const std::vector<ThrottleSource>& by, Visit visit) {
  for (const ThrottleSource& one : by) {
    for (const Dimension dimension : {Dimension::Read, Dimension::Write}) {
      const UnreportedThrottles::Side& side =
          one.refused.sides[static_cast<std::size_t>(dimension)];
      for (std::size_t i = 0; i < capacity::kLimits; ++i) {
        if (side.refused[i] == 0) continue;
        const ThrottlingReason reason{!one.index_name.empty(), dimension, static_cast<Limit>(i)};
        visit(one, reason, side, side.refused[i]);
      }
    }
  }
}

std::string hottest(const ThrottleSource& by, const UnreportedThrottles::Side& side) {
  if (!side.hottest_partition) return {};
  std::string text = ", hottest partition " + std::to_string(*side.hottest_partition + 1) + " of " +
                     std::to_string(by.refused.partitions);
  if (!side.hottest_key.empty())
    text += ", key " + shown_partition_key(by.key_types, side.hottest_key);
  return text;
}

bool any(std::span<const std::uint64_t> counts) {
  return std::any_of(counts.begin(), counts.end(), [](std::uint64_t one) { return one > 0; });
}

std::string shown_reasons(const std::map<std::string_view, std::uint64_t>& reasons) {
  std::vector<std::pair<std::string_view, std::uint64_t>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  std::string text;
  for (const auto& [reason, number] : sorted) {
    text.append(text.empty() ? ": " : ", ").append(reason).append(" ");
    text += grouped(number);
  }
  return text;
}

}  // namespace

std::string line(const MinuteLine& minute) {
  std::string why;
  std::uint64_t most = 0;
  for_each_reason(minute.by, [&](const ThrottleSource& by, const ThrottlingReason& reason,
                                 const UnreportedThrottles::Side& side, std::uint64_t number) {
    const bool is_table_first = number == most && by.index_name.empty();
    if (number < most || (number == most && !is_table_first)) return;
    most = number;
    why = ": " + std::string(to_text(reason));
    if (!by.index_name.empty()) why += " of index " + by.index_name;
    why += hottest(by, side);
  });
  return "table " + minute.table.table + ": " + counted(minute.refused, &minute.requests) +
         std::string(verb(minute.is_enforced)) + why + shown_place(minute.table);
}

std::string change_line(const TableLabel& table, bool is_enforced, const ChangeCounts& changes,
                        const std::set<std::string>& indexes) {
  std::string of;
  for (const std::string& index : indexes) of.append(of.empty() ? "" : ", ").append(index);
  if (!of.empty()) of = (indexes.size() == 1 ? " of index " : " of indexes ") + of;
  return "table " + table.table + ": " + counted_changes(changes, is_enforced) +
         ": LimitExceededException" + of + shown_place(table);
}

void Total::add(const std::vector<ThrottleSource>& by) {
  for_each_reason(by,
                  [this](const auto& /*by*/, const ThrottlingReason& reason, const auto& /*side*/,
                         std::uint64_t number) { reasons[to_text(reason)] += number; });
}

std::uint64_t Total::all() const {
  const auto sum = [](const auto& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  return sum(refused) + sum(changes);
}

std::vector<std::string> total_lines(const TableLabel& table, const Total& total) {
  const std::string begin = "in all, of table " + table.table + ": ";
  std::vector<std::string> lines;
  if (any(total.refused)) {
    lines.push_back(begin + counted(total.refused, nullptr) + std::string(verb(total.is_enforced)) +
                    shown_reasons(total.reasons) + shown_place(table));
  }
  if (any(total.changes)) {
    lines.push_back(begin + counted_changes(total.changes, total.is_enforced) + shown_place(table));
  }
  return lines;
}

}  // namespace stator::throttle_text

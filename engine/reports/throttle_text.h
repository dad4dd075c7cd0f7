// The lines of ThrottleLog, from plain values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/capacity/throttling_reason.h"
#include "engine/reports/figures.h"
#include "engine/schema/runtime.h"
#include "engine/throughput/throughput_values.h"

namespace stator::throttle_text {

using Counts = std::array<std::uint64_t, capacity::kDimensions>;
using ChangeCounts = std::array<std::uint64_t, kLimitedChanges>;

// The throttled requests of a table, or of one of its indexes, in a minute.
struct ThrottleSource {
  std::string index_name;       // empty: the table
  std::vector<Type> key_types;  // of its partition key
  capacity::UnreportedThrottles refused;
};

// A table's minute with at least one throttled request.
struct MinuteLine {
  const TableLabel& table;
  bool is_enforced;
  const Counts& refused;   // reads and writes
  const Counts& requests;  // total, at least as many as `refused`
  const std::vector<ThrottleSource>& by;
};
// Writes the most frequent reason and where it occurred. On a tie the table's comes first.
std::string line(const MinuteLine& minute);
std::string change_line(const TableLabel& table, bool is_enforced, const ChangeCounts& changes,
                        const std::set<std::string>& indexes);

// A table's totals since the process started.
struct Total {
  bool is_enforced = false;
  Counts refused{};
  ChangeCounts changes{};
  std::map<std::string_view, std::uint64_t> reasons;  // by ThrottlingReason

  void add(const std::vector<ThrottleSource>& by);
  std::uint64_t all() const;
};
// One line for requests and one for changes, if there were any.
std::vector<std::string> total_lines(const TableLabel& table, const Total& total);

}  // namespace stator::throttle_text

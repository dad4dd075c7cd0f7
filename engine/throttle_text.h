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
#include "engine/capacity/throughput_values.h"
#include "engine/figures.h"
#include "engine/schema/runtime.h"

namespace stator::throttle_text {

using Counts = std::array<std::uint64_t, capacity::kDimensions>;
using ChangeCounts = std::array<std::uint64_t, kLimitedChanges>;

// What a table, or one of its indexes, refused in a minute.
struct Refusing {
  std::string index_name;  // empty: the table
  capacity::UntoldRefusals refused;
};

// Of one table and minute. At least one is refused.
struct MinuteLine {
  const TableLabel& table;
  bool is_enforced;
  const Counts& refused;   // reads and writes
  const Counts& requests;  // all of them, at least as many
  const std::vector<Refusing>& by;
};
// The reason that most of them had, and where those were. Of as many the table's come first.
std::string line(const MinuteLine& minute);
std::string change_line(const TableLabel& table, bool is_enforced, const ChangeCounts& changes,
                        const std::set<std::string>& indexes);

// Of one table since the process began.
struct Total {
  bool is_enforced = false;
  Counts refused{};
  ChangeCounts changes{};
  std::map<std::string_view, std::uint64_t> reasons;  // by ThrottlingReason

  void add(const std::vector<Refusing>& by);
  std::uint64_t all() const;
};
// One line for requests and one for changes, as far as there are some.
std::vector<std::string> total_lines(const TableLabel& table, const Total& total);

}  // namespace stator::throttle_text

// Figures: statistics for monitoring. They cover the tables that requests can see. Tables of
// another isolation mode (Settings::isolation) may remain in the data, but are left out.
#pragma once

#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/settings.h"
#include "engine/schema/space_stats.h"
#include "protocol/errors/result.h"

namespace stator {

class Snapshot;

// Identifies a table among all in the statistics.
struct TableLabel {
  std::string region;
  std::string access_key;  // empty unless tables are isolated by it (Isolation::Key)
  std::string table;

  auto operator<=>(const TableLabel&) const = default;
};

// The label of a table, existing or removed; empty if requests cannot see it.
std::optional<TableLabel> label_of(std::string_view scope, std::string_view region,
                                   std::string_view table_name, Isolation isolation);

// Statistics of a table or an index, as in DescribeTable.
struct TableStats {
  TableLabel label;
  std::string index;  // empty: the table itself
  SpaceStats stats;
};
// Tables in the order of their names, each before its indexes.
Result<std::vector<TableStats>> space_figures(const Snapshot& snapshot, Isolation isolation);

// Statistics of a table with time to live.
struct ExpiryFigures {
  TableLabel label;
  // How long ago the oldest item that awaits deletion expired, by the engine's clock; zero if there
  // is none. Includes the intended delay Settings::ttl_delay.
  std::chrono::microseconds lag;
  std::uint64_t deleted;  // expired items deleted since the process started
};
Result<std::vector<ExpiryFigures>> expiry_figures(const Snapshot& snapshot, Isolation isolation);

// Statistics of a table whose streams have records; the table may be deleted.
struct StreamFigures {
  TableLabel label;
  std::chrono::microseconds oldest_record_age;  // of all its streams; by the engine's clock
};
struct AllStreamFigures {
  std::vector<StreamFigures> tables;  // sorted by label
  std::size_t streams = 0;            // with readable records
  std::uint64_t journal_bytes = 0;    // size of the records of all streams
};
Result<AllStreamFigures> stream_figures(const Snapshot& snapshot, Isolation isolation);

}  // namespace stator

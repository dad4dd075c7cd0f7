// Figures: what there is, in numbers, for who watches the process from outside. Of all tables that
// requests may see (Settings::isolation): what another kind of isolation left in the data has none.
#pragma once

#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/settings.h"
#include "engine/state/snapshot.h"
#include "protocol/result.h"

namespace stator {

// Tells a table from all others that have figures.
struct TableLabel {
  std::string region;
  std::string access_key;  // empty unless tables are isolated by it (Isolation::Key)
  std::string table;

  auto operator<=>(const TableLabel&) const = default;
};

// Of a table, or of what once was one; empty: requests may not see it.
std::optional<TableLabel> label_of(std::string_view scope, std::string_view region,
                                   std::string_view table_name, Isolation isolation);

// What DescribeTable tells of a table or of one of its indexes.
struct SpaceFigures {
  TableLabel label;
  std::string index;  // empty: the table itself
  SpaceStats stats;
};
// Tables in the order of their names, each before its indexes.
Result<std::vector<SpaceFigures>> space_figures(const Snapshot& snapshot, Isolation isolation);

// Of a table with time to live.
struct ExpiryFigures {
  TableLabel label;
  // For how long the oldest item has been expired that is still there and will be deleted, by the
  // engine's clock; zero without one. What Settings::ttl_delay keeps on purpose counts.
  std::chrono::microseconds lag;
  std::uint64_t deleted;  // items that it deleted since the process started
};
Result<std::vector<ExpiryFigures>> expiry_figures(const Snapshot& snapshot, Isolation isolation);

// Of a table that has streams with records, or had until it was deleted.
struct StreamFigures {
  TableLabel label;
  std::chrono::microseconds oldest_record_age;  // of all of its streams; by the engine's clock
};
struct AllStreamFigures {
  std::vector<StreamFigures> tables;  // in the order of their labels
  std::size_t streams = 0;            // there are, of which records may be read
  std::uint64_t journal_bytes = 0;    // what the records of all streams occupy
};
Result<AllStreamFigures> stream_figures(const Snapshot& snapshot, Isolation isolation);

}  // namespace stator

// What has changed since a mark was made: what a rollback to it would undo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/settings.h"
#include "engine/call/work.h"
#include "engine/reports/figures.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"

namespace stator {

class Snapshot;

struct MarkChangesQuery {
  Isolation isolation{};
  std::string_view mark;
  std::function<bool(const TableLabel&)> is_meant;
  // MarkChanges::next of an earlier answer; empty: from the beginning.
  std::string after;
  std::size_t items_max = 0;
};

// The longest MarkChanges::next.
inline constexpr std::size_t kMarkPlaceBytesMax = 511;

enum class TableChangeKind : std::uint8_t { Created, Removed, Changed };

struct MarkChanges {
  struct TableChange {
    TableLabel label;
    TableChangeKind kind{};
  };
  struct ItemChange {
    TableLabel label;
    std::string key_json;                 // as on the wire, like both images
    std::optional<std::string> was_json;  // empty: there was no item
    std::optional<std::string> is_json;
  };

  Timestamp made;  // the mark
  // Without `after`: tables whose description has changed, at most kTableChangesMax.
  std::vector<TableChange> tables;
  std::vector<ItemChange> items;
  std::string next;         // bytes; empty: all items are listed
  bool is_stopped = false;  // the stop condition left; the rest is missing
};

inline constexpr std::size_t kTableChangesMax = 1'000;
// Records of the undo log that one answer reads, and bytes of items that it contains.
inline constexpr std::size_t kMarkRecordsMax = 10'000;
inline constexpr std::size_t kMarkItemBytesMax = 1'000'000;

// Items are in the order of the undo log, those with long sort keys last. An item that is again as
// it was is left out. Empty if there is no such mark.
Result<std::optional<MarkChanges>> mark_changes(const Snapshot& snapshot,
                                                const MarkChangesQuery& query,
                                                StopCondition& stop_condition);

// How much has changed since a mark.
struct MarkFigures {
  struct TableItems {
    TableLabel label;
    std::uint64_t put = 0;      // items that are new or changed
    std::uint64_t deleted = 0;  // items of the mark that are gone
  };

  std::string name;
  Timestamp made;
  // Old values that the undo log has for this mark, without those of later ones.
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::vector<TableItems> tables;  // in the order of their labels
  bool has_more = false;           // not all was counted
};

// Of all marks, in the order of their making. Reads kMarkRecordsMax records for all of them.
Result<std::vector<MarkFigures>> mark_figures(const Snapshot& snapshot, Isolation isolation,
                                              StopCondition& stop_condition);

}  // namespace stator

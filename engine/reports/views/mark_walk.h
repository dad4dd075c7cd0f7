// MarkWalk: the tables and items that changed since a mark, from the undo log of this mark and of
// later ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/call/settings.h"
#include "engine/call/work.h"
#include "engine/reports/figures.h"
#include "engine/reports/views/mark_changes.h"
#include "engine/storage/environment/undo_log.h"
#include "engine/storage/lmdb/databases.h"
#include "protocol/errors/result.h"

namespace stator {

class Snapshot;
struct Table;

// An item that is not as it was at the mark; at least one record is set.
struct ChangedItem {
  const Table& table;
  const TableLabel& label;
  std::optional<std::string_view> was;  // a record; empty: there was no item
  std::optional<std::string_view> is;
};

class MarkWalk {
 public:
  struct Scope {
    Isolation isolation{};
    std::function<bool(const TableLabel&)> is_meant;
    // Numbers of the mark and of all later ones; they rise.
    std::span<const std::uint32_t> marks;
  };
  // All must outlive the walk.
  MarkWalk(const Snapshot& snapshot, const Scope& scope, StopCondition& stop_condition)
      : snapshot_(snapshot), scope_(scope), stop_condition_(stop_condition) {}

  // Visits tables until `visit` returns false.
  using VisitTable = std::function<bool(const TableLabel&, TableChangeKind)>;
  Result<void> tables(const VisitTable& visit);

  // Visits each item once, those after the place `after`; empty: from the beginning. Ends when
  // `goes_on`, which is called after each record, returns false. Returns the place of the last
  // record then; empty: at the end.
  Result<std::string> items(const std::string& after,
                            const std::function<void(const ChangedItem&)>& visit,
                            const std::function<bool()>& goes_on);

  // Whether the stop condition ended the walk.
  bool is_stopped() const { return is_stopped_; }

 private:
  using VisitRecord = std::function<Result<bool>(const storage::RememberedRecord&)>;

  Result<void> walk(storage::Database database, const std::string& after, const VisitRecord& visit);
  Result<bool> is_of_earlier_mark(storage::Database database, std::string_view key,
                                  std::size_t place) const;
  Result<void> visit_item(const storage::RememberedRecord& record,
                          const std::function<void(const ChangedItem&)>& visit) const;
  Result<const Table*> table_of_node(const storage::RememberedRecord& record,
                                     std::string_view item);
  Result<void> visit_long_item(const storage::RememberedRecord& record,
                               const std::function<void(const ChangedItem&)>& visit);
  const Table* shown_table(std::uint32_t space) const;
  std::optional<TableLabel> meant_label(const Table& table) const;

  const Snapshot& snapshot_;
  const Scope& scope_;
  StopCondition& stop_condition_;
  // Tables of nodes (long_sort_keys.h); nullptr: a node of an index or of a removed table.
  std::map<std::uint64_t, const Table*> tables_of_nodes_;
  bool is_stopped_ = false;
};

}  // namespace stator

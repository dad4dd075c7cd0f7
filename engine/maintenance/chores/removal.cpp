// Removal: removes tables and indexes from the catalog when their time in DELETING is over. Bound
// to the table. Until then they are Gone: invisible, but recorded.
#include <algorithm>
#include <utility>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/maintenance/chores/table_chore.h"

namespace stator {
namespace {

// When the table, or one of its indexes, is to be removed; empty if nothing is being deleted.
std::optional<Timestamp> first_gone(const Table& table) {
  if (table.deleting_until) return table.deleting_until;
  std::optional<Timestamp> first;
  for (const GlobalIndex& index : table.global_indexes) {
    const auto& due = index.deleting_until;
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

class Removal final : public TableChore {
 public:
  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const Table* table = piece.catalog().find(subject.space);
    if (table == nullptr) return std::optional<Timestamp>();
    if (table->status(piece.now) == TableStatus::Gone) {
      piece.mutation.erase_table(*table);
      STATOR_CHECK(piece.apply());
      return std::optional<Timestamp>();
    }
    if (!table->has_gone_indexes(piece.now)) return first_gone(*table);
    Table next = *table;
    next.remove_gone_indexes(piece.now);
    const std::optional<Timestamp> next_due = first_gone(next);
    piece.mutation.put_table(std::move(next));
    STATOR_CHECK(piece.apply());
    return next_due;
  }

 private:
  void schedule_for(const Table& table, const Schedule& enter) override {
    if (const auto due = first_gone(table)) enter({table.space, table.runtime}, *due);
  }
};

}  // namespace

std::unique_ptr<ChoreKind> make_removal() { return std::make_unique<Removal>(); }

}  // namespace stator

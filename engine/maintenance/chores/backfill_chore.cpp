// Continues the backfill of new indexes (engine/indexes/backfill.h). Bound to the index.
#include <algorithm>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/maintenance/chores/table_chore.h"

namespace stator {
namespace {

// When the backfill may continue; empty if there is none.
std::optional<Timestamp> backfill_due(const GlobalIndex& index) {
  if (!index.build || index.deleting_until) return std::nullopt;
  return index.build->allocating_until;
}

Result<void> run_backfill_piece(const Table& table, const GlobalIndex& index, ChorePiece& piece) {
  STATOR_CHECK(
      backfill_piece(piece.transaction, table, index, piece.limits, piece.mutation, piece.arena));
  return piece.apply();
}

class BackfillChore final : public TableChore {
 public:
  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const auto index_now = [&]() -> const GlobalIndex* {
      const Table* table = piece.catalog().find(subject.space);
      return table == nullptr ? nullptr : table->find_global_index(subject.space);
    };
    const GlobalIndex* index = index_now();
    if (index == nullptr) return std::optional<Timestamp>();
    if (index->is_backfilling(piece.now)) {
      STATOR_CHECK(run_backfill_piece(*piece.catalog().find(subject.space), *index, piece));
      index = index_now();
    }
    return backfill_due(*index);
  }

 private:
  void schedule_for(const Table& table, const Schedule& enter) override {
    for (const GlobalIndex& index : table.global_indexes) {
      if (const auto due = backfill_due(index)) enter({index.space, index.runtime}, *due);
    }
  }
};

}  // namespace

Result<void> run_first_backfill_piece(const Table& table, ChorePiece& piece) {
  const auto index = std::find_if(
      table.global_indexes.begin(), table.global_indexes.end(),
      [&](const GlobalIndex& candidate) { return candidate.is_backfilling(piece.now); });
  if (index == table.global_indexes.end()) return {};
  return run_backfill_piece(table, *index, piece);
}

std::unique_ptr<ChoreKind> make_backfill() { return std::make_unique<BackfillChore>(); }

}  // namespace stator

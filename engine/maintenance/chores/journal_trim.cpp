// Trims journals (engine/storage/stores/journal.h) that lost a consumer: entries that only this one
// needed, or all of a table without consumers. Bound to the table, which may be deleted. Consumers
// that advance trim as they do.
#include <map>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

// A table may be deleted, with its runtime, so the kind has a subject for each table of its own: a
// table that loses consumers faster than chores run is scheduled once.
class JournalTrim final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Schedule& enter) override {
    STATOR_TRY(const auto tables, storage::tables_with_journal(transaction));
    for (const storage::SpaceId table : tables) enter(subject_of(table), kAtOnce);
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Schedule& enter) override {
    for (const storage::SpaceId table : batch.left_journals) enter(subject_of(table), kAtOnce);
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    STATOR_TRY(const bool is_done,
               storage::trim_journal(piece.transaction, subject.space, piece.limits.records_max));
    if (!is_done) return std::optional(piece.now);
    subjects_.erase(subject.space);
    return std::optional<Timestamp>();
  }

 private:
  const ChoreSubject& subject_of(storage::SpaceId table) {
    return subjects_.try_emplace(table, ChoreSubject::without_table(table)).first->second;
  }

  std::map<storage::SpaceId, ChoreSubject> subjects_;  // of chores that are not done
};

}  // namespace

std::unique_ptr<ChoreKind> make_journal_trim() { return std::make_unique<JournalTrim>(); }

}  // namespace stator

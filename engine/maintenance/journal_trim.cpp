// Trims journals (engine/storage/journal.h) that lost a consumer: entries that only it still
// needed, or all of a table that nobody follows any more. Bound to the table, which may be gone.
// Consumers that go on trim as they go.
#include "engine/maintenance/chore_kinds.h"
#include "engine/storage/journal.h"

namespace stator {
namespace {

constexpr Timestamp kAtOnce{};

// The table may be gone, and its runtime with it. One that is entered twice finds nothing to do.
ChoreSubject subject_of(storage::SpaceId table) { return {table, std::make_shared<Runtime>()}; }

class JournalTrim final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Enter& enter) override {
    STATOR_TRY(const auto tables, storage::tables_with_journal(transaction));
    for (const storage::SpaceId table : tables) enter(subject_of(table), kAtOnce);
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Enter& enter) override {
    for (const storage::SpaceId table : batch.left_journals) enter(subject_of(table), kAtOnce);
  }

  bool only_shrinks() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    STATOR_TRY(const bool is_done,
               storage::trim_journal(piece.transaction, subject.space, piece.limits.records_max));
    return is_done ? std::optional<Timestamp>() : std::optional(piece.now);
  }
};

}  // namespace

std::unique_ptr<ChoreKind> make_journal_trim() { return std::make_unique<JournalTrim>(); }

}  // namespace stator

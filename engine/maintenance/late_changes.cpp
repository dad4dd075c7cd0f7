// Applies changes of global indexes that were held back (engine/state/held_changes.h): one chore
// for all, in the order the changes were made.
#include "engine/maintenance/chore_kinds.h"
#include "engine/state/held_changes.h"

namespace stator {
namespace {

class LateChanges final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Enter& enter) override {
    STATOR_TRY(const auto due, first_change_due(transaction));
    if (due) enter(all_, *due);
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Enter& enter) override {
    if (batch.late_change_due) enter(all_, *batch.late_change_due);
  }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& /*subject*/,
                                             ChorePiece& piece) override {
    STATOR_CHECK(apply_late_changes(piece).map([](bool) {}));
    return first_change_due(piece.transaction);
  }

 private:
  const ChoreSubject all_{{}, std::make_shared<Runtime>()};
};

}  // namespace

Result<bool> apply_late_changes(ChorePiece& piece) {
  // Changes of indexes that are no more are dropped.
  const auto is_wanted = [&](storage::SpaceId space) {
    return piece.catalog().find(space) != nullptr;
  };
  STATOR_TRY(const TakenChanges taken,
             take_due_changes(piece.transaction, piece.now, piece.limits.records_max,
                              piece.limits.bytes_max, is_wanted, piece.mutation, piece.arena));
  STATOR_CHECK(erase_changes(piece.transaction, taken));
  STATOR_CHECK(piece.apply());
  return taken.count > 0;
}

std::unique_ptr<ChoreKind> make_late_changes() { return std::make_unique<LateChanges>(); }

}  // namespace stator

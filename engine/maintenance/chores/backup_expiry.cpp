// Removes the backups that deleted tables left, after their retention time, and the oldest beyond a
// number. Bound to nothing: there is one chore for all.
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/state/item_copies.h"
#include "engine/storage/descriptions/descriptions.h"

namespace stator {
namespace {

// Without a bound, a pipeline that creates and deletes tables with recovery would fill the store.
constexpr std::size_t kSystemBackupsMax = 500;
constexpr std::size_t kPieceBackupsMax = 100;

class BackupExpiry final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Schedule& enter) override {
    STATOR_TRY(const auto backups, storage::Backups::all(transaction));
    for (const Backup& backup : backups) {
      if (backup.expires) enter(subject_, *backup.expires);
    }
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Schedule& enter) override {
    if (!batch.expiring_backup) return;
    ++made_;
    enter(subject_, made_ > kPieceBackupsMax ? kAtOnce : *batch.expiring_backup);
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& /*subject*/,
                                             ChorePiece& piece) override {
    made_ = 0;
    STATOR_TRY(std::vector<Backup> backups, storage::Backups::all(piece.transaction));
    std::erase_if(backups, [](const Backup& backup) { return !backup.expires; });
    std::sort(backups.begin(), backups.end(),
              [](const Backup& a, const Backup& b) { return *a.expires < *b.expires; });
    std::size_t excess = backups.size() - std::min(backups.size(), kSystemBackupsMax);
    std::size_t removed = 0;
    for (Backup& backup : backups) {
      if (*backup.expires > piece.now && excess == 0) return std::optional(*backup.expires);
      // A restore that reads from it continues: the copy retains its records.
      if (removed++ == kPieceBackupsMax) return std::optional(piece.now);
      excess -= std::min<std::size_t>(excess, 1);
      STATOR_CHECK(apply_erased_backup(backup, {piece.batch, piece.transaction, piece.now}));
    }
    return std::optional<Timestamp>();
  }

 private:
  std::size_t made_ = 0;  // since the last piece; belongs to the leader
  const ChoreSubject subject_ = ChoreSubject::without_table();
};

}  // namespace

std::unique_ptr<ChoreKind> make_backup_expiry() { return std::make_unique<BackupExpiry>(); }

}  // namespace stator

// Sweep: erases the records of a space whose table or index is no more, or whose time to live was
// disabled. Bound to the space; the database Purges keeps its number until it is empty.
//
// A space is entered when the batch that dropped it was committed, so its records are erased only
// by batches that begin after the tables without it were published (Engine::read rests on it).
#include <string>

#include "engine/maintenance/chore_kinds.h"
#include "engine/state/mark_state.h"
#include "engine/storage/keys.h"

namespace stator {
namespace {

using storage::Database;

constexpr Timestamp kAtOnce{};

// A space is dropped once, with its table or index, whose runtime ends with them.
ChoreSubject subject_of(storage::SpaceId space) { return {space, std::make_shared<Runtime>()}; }

// Of a database whose keys begin with a space. Returns whether all are gone.
Result<bool> sweep_beside(storage::WriteTransaction& transaction, Database database,
                          storage::SpaceId space, std::size_t records_max) {
  const storage::KeyBuffer prefix = storage::SpaceKey{space}.encode();
  for (std::size_t i = 0; i < records_max; ++i) {
    STATOR_TRY(const auto record, transaction.seek(database, prefix.view()));
    if (!record || !record->key.starts_with(prefix.view())) return true;
    const std::string key(record->key);
    STATOR_CHECK(transaction.erase(database, key).map([](bool) {}));
  }
  return false;
}

class Sweep final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Enter& enter) override {
    std::string last;
    for (;;) {
      STATOR_TRY(const auto purge, transaction.seek(Database::Purges, last, !last.empty()));
      if (!purge) return {};
      last = purge->key;
      STATOR_TRY(const auto dropped, storage::SpaceKey::decode(last));
      enter(subject_of(dropped.space), kAtOnce);
    }
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Enter& enter) override {
    for (const storage::SpaceId space : batch.dropped_spaces) enter(subject_of(space), kAtOnce);
  }

  bool only_shrinks() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    // Who forgets the last mark enters what is to be swept then.
    STATOR_TRY(const bool is_kept, is_kept_by_mark(piece.transaction, subject.space));
    if (is_kept) return std::optional<Timestamp>();
    const std::size_t records_max = piece.limits.records_max;
    STATOR_TRY(const bool is_empty,
               storage::erase_some(piece.transaction, subject.space, records_max));
    if (!is_empty) return std::optional(piece.now);
    for (const Database beside : {Database::Collections, Database::Expiries}) {
      STATOR_TRY(const bool none_beside,
                 sweep_beside(piece.transaction, beside, subject.space, records_max));
      if (!none_beside) return std::optional(piece.now);
    }
    const storage::KeyBuffer key = storage::SpaceKey{subject.space}.encode();
    STATOR_CHECK(piece.transaction.erase(Database::Purges, key.view()).map([](bool) {}));
    return std::optional<Timestamp>();
  }
};

}  // namespace

std::unique_ptr<ChoreKind> make_sweep() { return std::make_unique<Sweep>(); }

}  // namespace stator

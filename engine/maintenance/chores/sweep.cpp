// Sweep: erases the records of a space whose table or index was deleted, or whose time to live was
// disabled. Bound to the space; the database Purges has its number until the space is empty.
//
// A commit that drops a space schedules its sweep. So only batches that begin after the tables
// without the space were published erase its records, which Engine::read() relies on.
#include <string>

#include "engine/catalog/mark_state.h"
#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/state/item_copies.h"
#include "engine/storage/keys/keys.h"

namespace stator {
namespace {

using storage::Database;

// Erases records of a database whose keys begin with a space. Returns whether all are erased.
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
                        const Schedule& enter) override {
    std::string last;
    for (;;) {
      STATOR_TRY(const auto purge, transaction.seek(Database::Purges, last, !last.empty()));
      if (!purge) return {};
      last = purge->key;
      STATOR_TRY(const auto dropped, storage::SpaceKey::decode(last));
      // A space is dropped once, with its table or index, whose runtime ends with them.
      enter(ChoreSubject::without_table(dropped.space), kAtOnce);
    }
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Schedule& enter) override {
    for (const storage::SpaceId space : batch.dropped_spaces)
      enter(ChoreSubject::without_table(space), kAtOnce);
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    // Forgetting the last mark schedules the chore again, as the end of the last copy does.
    STATOR_TRY(const bool is_marked, is_retained_by_mark(piece.transaction, subject.space));
    STATOR_TRY(const bool is_copied, is_being_copied(piece.transaction, subject.space));
    if (is_marked || is_copied) return std::optional<Timestamp>();
    const std::size_t records_max = piece.limits.records_max;
    const storage::KeyBuffer key = storage::SpaceKey{subject.space}.encode();
    STATOR_TRY(const auto first, piece.transaction.seek(Database::Items, key.view()));
    if (first && first->key.starts_with(key.view())) {
      // The end is a commit of its own: only a commit after it can use the freed pages, and in a
      // full store no other would follow.
      STATOR_CHECK(storage::erase_some(piece.transaction, subject.space, records_max)
                       .map([](bool /*is_empty*/) {}));
      return std::optional(piece.now);
    }
    for (const Database beside : {Database::Collections, Database::Expiries}) {
      STATOR_TRY(const bool none_beside,
                 sweep_beside(piece.transaction, beside, subject.space, records_max));
      if (!none_beside) return std::optional(piece.now);
    }
    STATOR_CHECK(piece.transaction.erase(Database::Purges, key.view()).map([](bool) {}));
    return std::optional<Timestamp>();
  }
};

}  // namespace

std::unique_ptr<ChoreKind> make_sweep() { return std::make_unique<Sweep>(); }

}  // namespace stator

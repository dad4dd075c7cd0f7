// Sweep: erases the records of a space whose table or index is no more. Bound to the space; the
// database Purges keeps its number until it is empty.
//
// A space is entered when the batch that dropped it was committed, so its records are erased only
// by batches that begin after the tables without it were published (Engine::read rests on it).
#include <string>

#include "engine/maintenance/chore_kinds.h"
#include "engine/state/snapshot.h"

namespace stator {
namespace {

using storage::Database;

constexpr Timestamp kAtOnce{};

storage::SpaceId space_of_purge(std::string_view key) {
  std::uint32_t number = 0;
  for (const char byte : key) number = (number << 8) | static_cast<unsigned char>(byte);
  return storage::SpaceId{number};
}

// A space is dropped once, with its table or index, whose runtime ends with them.
ChoreSubject subject_of(storage::SpaceId space) { return {space, std::make_shared<Runtime>()}; }

// Item collections are keyed by space first. Returns whether all are gone.
Result<bool> sweep_collections(storage::WriteTransaction& transaction, const std::string& space_key,
                               std::size_t records_max) {
  for (std::size_t i = 0; i < records_max; ++i) {
    STATOR_TRY(const auto record, transaction.seek(Database::Collections, space_key));
    if (!record || !record->key.starts_with(space_key)) return true;
    const std::string key(record->key);
    STATOR_CHECK(transaction.erase(Database::Collections, key).map([](bool) {}));
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
      enter(subject_of(space_of_purge(last)), kAtOnce);
    }
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Enter& enter) override {
    for (const storage::SpaceId space : batch.dropped_spaces) enter(subject_of(space), kAtOnce);
  }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const std::size_t records_max = piece.limits.records_max;
    const std::string key = stats_key(subject.space);
    STATOR_TRY(const bool is_empty,
               storage::erase_some(piece.transaction, subject.space, records_max));
    if (!is_empty) return std::optional(piece.now);
    STATOR_TRY(const bool no_collections, sweep_collections(piece.transaction, key, records_max));
    if (!no_collections) return std::optional(piece.now);
    STATOR_CHECK(piece.transaction.erase(Database::Purges, key).map([](bool) {}));
    return std::optional<Timestamp>();
  }
};

}  // namespace

std::unique_ptr<ChoreKind> make_sweep() { return std::make_unique<Sweep>(); }

}  // namespace stator

// Late indexes (Settings::gsi_delay): each active global index is a consumer of its table's
// journal. Bound to the index, so that no index delays another.
#include "engine/indexes/index_entries.h"
#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

std::optional<IndexedItem> indexed_item(std::optional<std::string_view> record, Arena& arena) {
  if (!record) return std::nullopt;
  const storage::EncodedItem encoded(*record);
  return IndexedItem{encoded.decode(arena), encoded.size_bytes(), *record};
}

// The time of the first change that the index does not have; empty if it has all.
Result<std::optional<Timestamp>> first_unseen(const storage::Transaction& transaction,
                                              storage::SpaceId table, std::uint64_t position) {
  STATOR_TRY(const auto next, storage::find_in_journal(transaction, table, position));
  if (!next) return std::optional<Timestamp>();
  STATOR_TRY(const auto entry, storage::decode_journal_entry(next->bytes));
  return std::optional(entry.written.time);
}

class LateChanges final : public ChoreKind {
 public:
  explicit LateChanges(const Settings& settings) : settings_(settings) {}

  Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog,
                        const Schedule& enter) override {
    STATOR_TRY(const auto consumers, storage::all_consumers(transaction));
    for (const storage::Consumer& consumer : consumers) {
      const auto space = late_index_of(consumer.name);
      const Table* table = space ? catalog.find(*space) : nullptr;
      if (table == nullptr) continue;
      STATOR_TRY(const auto time, first_unseen(transaction, consumer.table, consumer.position));
      if (time) enter({*space, table->find_global_index(*space)->runtime}, time->plus(delay()));
    }
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Schedule& enter) override {
    for (const auto& [space, time] : batch.journaled) {
      const Table* table = catalog.find(space);
      if (table == nullptr) continue;
      for (const GlobalIndex& index : table->global_indexes) {
        if (index.is_active()) enter({index.space, index.runtime}, time.plus(delay()));
      }
    }
  }

  Result<void> delays_changed(const ChorePiece& with, const Schedule& enter) override {
    return find_all(with.transaction, with.catalog(), enter);
  }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    return apply_late_changes(subject.space, delay(), piece);
  }

 private:
  std::chrono::microseconds delay() const { return settings_.gsi_delay; }

  const Settings& settings_;
};

}  // namespace

Result<std::optional<Timestamp>> apply_late_changes(storage::SpaceId index_space,
                                                    std::chrono::microseconds delay,
                                                    ChorePiece& piece) {
  const Table* table = piece.catalog().find(index_space);
  const GlobalIndex* index = table == nullptr ? nullptr : table->find_global_index(index_space);
  if (index == nullptr) return std::optional<Timestamp>();
  const std::string name = late_index_consumer(index_space);
  STATOR_TRY(const auto begun, storage::consumer_position(piece.transaction, table->space, name));
  if (!begun) return std::optional<Timestamp>();
  std::uint64_t position = *begun;
  std::optional<Timestamp> due;
  std::size_t bytes = 0;
  for (std::size_t count = 0;; ++count) {
    STATOR_TRY(const auto next,
               storage::find_in_journal(piece.transaction, table->space, position));
    if (!next) break;
    STATOR_TRY(const auto seen, storage::decode_journal_entry(next->bytes));
    due = seen.written.time.plus(delay);
    if (*due > piece.now) break;
    if (count >= piece.limits.records_max || bytes >= piece.limits.bytes_max) break;
    bytes += next->bytes.size();
    position = next->number + 1;
    due.reset();
    // The mutation is applied while pages change, so it must not refer to them.
    STATOR_TRY(const auto entry, storage::decode_journal_entry(piece.arena.copy(next->bytes)));
    const auto change = late_index_change(*table, *index, indexed_item(entry.before, piece.arena),
                                          indexed_item(entry.after, piece.arena),
                                          piece.mutation.scratch(), piece.arena);
    if (change) piece.mutation.apply_entry(*change);
  }
  if (position == *begun) return due;
  STATOR_CHECK(storage::put_consumer(piece.transaction, {table->space, name, position}));
  STATOR_CHECK(storage::trim_journal(piece.transaction, table->space, 2 * piece.limits.records_max)
                   .map([](bool) {}));
  STATOR_CHECK(piece.apply());
  return due;
}

Result<bool> end_late_index(ChorePiece& piece) {
  const auto late = piece.batch.consumers().any_late_index();
  if (!late) return false;
  STATOR_TRY(const auto due, apply_late_changes(late->index, {}, piece));
  if (!due) {
    STATOR_CHECK(piece.batch.remove_consumer(late->table, late_index_consumer(late->index),
                                             piece.transaction));
  }
  return true;
}

std::unique_ptr<ChoreKind> make_late_changes(const Settings& settings) {
  return std::make_unique<LateChanges>(settings);
}

}  // namespace stator

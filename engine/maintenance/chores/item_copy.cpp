// Copies items for a backup, a restore or an export, piece by piece (engine/state/item_copies.h).
// Bound to the space that they are copied to.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/indexes/backfill.h"
#include "engine/indexes/index_entries.h"
#include "engine/maintenance/chores/changed_items.h"
#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/state/item_copies.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"
#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

using Record = std::optional<std::string_view>;

// Writes the items to a table that is being restored, with its indexes, or to a backup or export.
class CopyTarget {
 public:
  // `restored` is nullptr for backups and exports. `keys` has the key attributes of the items.
  CopyTarget(const Table* restored, const Table& keys, storage::SpaceId space, ChorePiece& piece)
      : restored_(restored), keys_(keys), space_(space), piece_(piece) {}

  PrimaryKey key_of(std::string_view record) const {
    return key_of_stored(keys_, storage::EncodedItem(record).decode(piece_.arena));
  }

  // Stages the record under the key, or its removal if there is none. REQUIRES: no change of the
  // key is staged yet; the record lives in the piece's arena.
  Result<void> set(const PrimaryKey& key, Record after) {
    const storage::StoreKey at{space_, key.partition, key.sort};
    STATOR_TRY(const auto found, storage::find_record(piece_.transaction, at));
    const Record before = found ? Record(piece_.arena.copy(*found)) : Record();
    if (!before && !after) return {};
    const SpaceStats difference{count(after) - count(before), size(after) - size(before)};
    piece_.mutation.count(space_, difference);
    if (restored_ == nullptr) {
      after ? piece_.mutation.put_record(at, *after) : piece_.mutation.erase_record(at);
      return {};
    }
    piece_.mutation.change_item(at, before, after);
    change_indexes(key, before, after, difference.size_bytes);
    return {};
  }

 private:
  static std::int64_t count(const Record& record) { return record ? 1 : 0; }
  static std::int64_t size(const Record& record) {
    return record ? static_cast<std::int64_t>(storage::EncodedItem(*record).size_bytes()) : 0;
  }

  std::optional<IndexedItem> indexed(const Record& record) const {
    if (!record) return std::nullopt;
    const storage::EncodedItem encoded(*record);
    return IndexedItem{encoded.decode(piece_.arena), encoded.size_bytes(), *record};
  }

  void change_indexes(const PrimaryKey& key, const Record& before, const Record& after,
                      std::int64_t item_difference_bytes) {
    const Table& table = *restored_;
    if (!table.has_indexes()) return;
    FixedList<Charge> charges(charges_max(table), piece_.arena);
    const IndexChanges changes = index_changes(table, key, indexed(before), indexed(after),
                                               piece_.mutation.scratch(), piece_.arena, charges);
    for (const EntryChange& change : changes.local) piece_.mutation.apply_entry(change);
    for (const EntryChange& change : changes.global) piece_.mutation.change_entry(change);
    if (table.local_indexes.empty()) return;
    piece_.mutation.count_collection(space_, key.partition,
                                     item_difference_bytes + changes.local_bytes_difference);
  }

  const Table* restored_;
  const Table& keys_;
  storage::SpaceId space_;
  ChorePiece& piece_;
};

// Copies the next items of the source. Advances the copy.
Result<void> copy_items(ItemCopy& copy, CopyTarget& target, ChorePiece& piece) {
  storage::RecordCursor cursor(piece.transaction, copy.source);
  if (copy.done_partition.empty()) {
    STATOR_CHECK(cursor.seek_first());
  } else {
    STATOR_CHECK(cursor.seek_after({copy.source, copy.done_partition, copy.done_sort}));
  }
  std::size_t bytes = 0;
  PrimaryKey last;
  for (std::size_t count = 0;; ++count) {
    const auto stored = cursor.record();
    if (!stored) {
      STATOR_TRY(copy.undone_from, piece.batch.next_change(piece.transaction));
      return {};
    }
    if (count >= piece.limits.records_max || bytes >= piece.limits.bytes_max) {
      copy.done_partition = last.partition;
      copy.done_sort = last.sort;
      return {};
    }
    bytes += stored->size();
    // Copied, because applying the mutation changes pages.
    const std::string_view record = piece.arena.copy(*stored);
    last = target.key_of(record);
    STATOR_CHECK(target.set(last, record));
    STATOR_CHECK(cursor.next());
  }
}

// Undoes the next changes, from the last one back. Returns whether all are undone.
Result<bool> undo_changes(ItemCopy& copy, CopyTarget& target, ChorePiece& piece) {
  // The walk goes back, so the first change of an item is the last that it meets, and wins.
  std::map<std::pair<std::string_view, std::string_view>, Record> before;
  std::size_t bytes = 0;
  bool is_done = false;
  for (std::size_t count = 0; count < piece.limits.records_max && bytes < piece.limits.bytes_max;
       ++count) {
    STATOR_TRY(const auto met,
               storage::find_before_in_journal(piece.transaction, copy.source, *copy.undone_from));
    is_done = !met || met->number < copy.first_change;
    if (is_done) break;
    bytes += met->bytes.size();
    copy.undone_from = met->number;
    STATOR_TRY(const auto entry, storage::decode_journal_entry(met->bytes));
    const auto own = [&](std::string_view text) { return piece.arena.copy(text); };
    before[{own(entry.partition), own(entry.sort)}] =
        entry.before ? Record(own(*entry.before)) : Record();
  }
  for (const auto& [key, record] : before)
    STATOR_CHECK(target.set({key.first, key.second}, record));
  return is_done;
}

// Returns whether the copy is complete.
Result<bool> copy_piece(ItemCopy& copy, CopyTarget& target, ChorePiece& piece) {
  if (!copy.undone_from) {
    STATOR_CHECK(copy_items(copy, target, piece));
    // A short journal needs no piece of its own.
    if (!copy.undone_from) return false;
    STATOR_TRY(const auto changed,
               storage::find_in_journal(piece.transaction, copy.source, copy.first_change));
    return !changed;
  }
  return undo_changes(copy, target, piece);
}

class ItemCopyChore final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog,
                        const Schedule& enter) override {
    catalog.for_each([&](const Table& table) {
      if (table.restore) enter({table.space, table.runtime}, kAtOnce);
    });
    STATOR_TRY(const auto backups, storage::Backups::all(transaction));
    for (const Backup& backup : backups) {
      if (backup.copy) enter(ChoreSubject::without_table(backup.space), kAtOnce);
    }
    STATOR_TRY(const auto exports, storage::Exports::all_in_progress(transaction));
    for (const ExportJob& job : exports) {
      if (job.copy) enter(ChoreSubject::without_table(job.space), kAtOnce);
    }
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Schedule& enter) override {
    for (const storage::SpaceId space : batch.copies)
      enter(ChoreSubject::without_table(space), kAtOnce);
  }

  Result<std::string> work_of(const ChoreSubject& subject,
                              const Snapshot& snapshot) const override {
    const auto of_table = [](std::string what, const Table& table) {
      return std::move(what) + " of table '" + table.name + "'";
    };
    if (const Table* table = snapshot.catalog().find(subject.space))
      return table->restore ? of_table("the restore", *table) : std::string();
    STATOR_TRY(const auto backup,
               storage::Backups::find_in_progress(snapshot.transaction(), subject.space));
    if (backup) return of_table("the backup '" + backup->name + "'", backup->table);
    STATOR_TRY(const auto job,
               storage::Exports::find_in_progress(snapshot.transaction(), subject.space));
    return job && job->copy ? of_table("the export", job->table) : std::string();
  }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    return run_copy_piece(subject.space, piece);
  }
};

using NextPiece = std::optional<Timestamp>;  // when it is due; empty after the last

NextPiece next_piece(bool is_done, const ChorePiece& piece) {
  return is_done ? NextPiece() : NextPiece(piece.now);
}

// The restore lasts as long as the table is CREATING, so that a short copy, too, shows its summary
// and rejects what a restored table rejects. The last piece therefore waits for that time.
Result<NextPiece> stage_restore_piece(Table table, ChorePiece& piece) {
  CopyTarget target(&table, table, table.space, piece);
  STATOR_TRY(const bool is_done, copy_piece(table.restore->copy, target, piece));
  const bool must_wait = is_done && piece.now < table.creating_until;
  const NextPiece next = must_wait ? NextPiece(table.creating_until) : next_piece(is_done, piece);
  if (!next) table.restore.reset();
  piece.mutation.put_table(std::move(table));
  return next;
}

Result<NextPiece> stage_backup_piece(Backup backup, ChorePiece& piece) {
  CopyTarget target(nullptr, backup.table, backup.space, piece);
  STATOR_TRY(const bool is_done, copy_piece(*backup.copy, target, piece));
  if (is_done) backup.copy.reset();
  piece.mutation.put_backup(std::move(backup));
  return next_piece(is_done, piece);
}

Result<NextPiece> stage_export_piece(ExportJob job, ChorePiece& piece) {
  CopyTarget target(nullptr, job.table, job.space, piece);
  STATOR_TRY(const bool is_done, job.request.window ? gather_changed_items(*job.copy, job, piece)
                                                    : copy_piece(*job.copy, target, piece));
  if (is_done) job.copy.reset();
  piece.mutation.put_export(std::move(job));
  return next_piece(is_done, piece);
}

// Stages the next piece of the copy to the space, if one is in progress.
Result<NextPiece> stage_piece(storage::SpaceId space, ChorePiece& piece) {
  if (const Table* table = piece.catalog().find(space))
    return table->restore ? stage_restore_piece(*table, piece) : Result<NextPiece>(NextPiece());
  STATOR_TRY(auto backup, storage::Backups::find_in_progress(piece.transaction, space));
  if (backup) return stage_backup_piece(*std::move(backup), piece);
  STATOR_TRY(auto job, storage::Exports::find_in_progress(piece.transaction, space));
  return job && job->copy ? stage_export_piece(*std::move(job), piece)
                          : Result<NextPiece>(NextPiece());
}

}  // namespace

Result<std::optional<Timestamp>> run_copy_piece(storage::SpaceId space, ChorePiece& piece) {
  STATOR_TRY(const NextPiece next, stage_piece(space, piece));
  STATOR_CHECK(piece.apply());
  return next;
}

std::unique_ptr<ChoreKind> make_item_copy() { return std::make_unique<ItemCopyChore>(); }

}  // namespace stator

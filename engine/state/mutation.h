// Mutation: the decided, not yet applied changes of a write. An operation fills it; the engine
// applies it in the batch's transaction after the operation has succeeded, so a rejected request
// changes nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/catalog/primary_key.h"
#include "engine/schema/backup.h"
#include "engine/schema/bulk_job.h"
#include "engine/schema/export_job.h"
#include "engine/schema/import_job.h"
#include "engine/schema/kinesis.h"
#include "engine/schema/table.h"
#include "engine/seams/random.h"
#include "engine/state/snapshot.h"
#include "engine/storage/bytes/stamp.h"
#include "engine/storage/stores/item_store.h"
#include "engine/storage/stores/token_store.h"
#include "protocol/memory/arena.h"

namespace stator {

class Mutation {
 public:
  explicit Mutation(Random& random) : random_(random) {}
  Mutation(const Mutation&) = delete;
  Mutation& operator=(const Mutation&) = delete;

  // Drops all changes.
  void clear();

  // Stages a change of an item: its record before and after; empty means no item. Added to the
  // journal if the table has a consumer (engine/storage/stores/journal.h). All views must stay
  // valid until the mutation is applied: from the request's arena, or the snapshot.
  void change_item(const storage::StoreKey& key, std::optional<std::string_view> before,
                   std::optional<std::string_view> after) {
    if (before || after) items_.push_back({key, before, after});
  }

  // Stage changes of index entries, which the journal does not contain.
  void put_record(const storage::StoreKey& key, std::string_view record) {
    records_.push_back({key, record, false});
  }
  void erase_record(const storage::StoreKey& key) { records_.push_back({key, {}, true}); }

  // The change of one item's entry in one global index. Entries may follow their items late
  // (Settings::gsi_delay).
  struct EntryChange {
    storage::SpaceId space{};
    std::optional<storage::StoreKey> erased;  // erased before `put` is stored
    std::optional<storage::StoreKey> put;
    std::string_view record;  // the record of `put`
    SpaceStats difference;
  };
  void change_entry(const EntryChange& change) { entries_.push_back(change); }
  // Stages the change without delay, whatever the settings.
  void apply_entry(const EntryChange& change);

  // When an item expires, before and after the write; empty: never
  // (engine/indexes/expiry_entries.h). Views as for change_item().
  struct ExpiryChange {
    storage::SpaceId space{};  // TimeToLive::space
    std::string_view partition;
    std::string_view sort;
    std::optional<std::uint64_t> due_before_s;
    std::optional<std::uint64_t> due_after_s;
  };
  void change_expiry(const ExpiryChange& change) {
    if (change.due_before_s != change.due_after_s) expiries_.push_back(change);
  }

  // Stages the token of the request, at most one per mutation; its finishing time is that of
  // applying the mutation. All views must stay valid until then, and none may point into the
  // snapshot.
  void store_token(const storage::TokenName& name, std::string_view fingerprint,
                   std::string_view payload) {
    token_ = {name, Timestamp{}, fingerprint, payload};
  }

  // Stage differences to the statistics of a space, and to the size of an item collection;
  // differences for one collection add up.
  void count(storage::SpaceId space, SpaceStats difference);
  void count_collection(storage::SpaceId space, std::string_view partition,
                        std::int64_t size_bytes);

  // Makes this the mutation of a transaction on these items: in flight for
  // Settings::transaction_time before it is applied (engine/state/in_flight_transactions.h).
  void hold(std::vector<LocatedKey> items) { held_ = std::move(items); }
  const std::vector<LocatedKey>& held() const { return held_; }

  // Stages a new table, or the new state of one. A new table has space zero: applying it assigns
  // numbers to it and its indexes.
  void put_table(Table table) { tables_.push_back(std::move(table)); }
  // Stages the removal of a table; a chore removes its items later.
  void erase_table(const Table& table) { erased_tables_.push_back(table); }

  // Stages a new backup, or the new state of one. A new backup has space zero and a copy without a
  // first change: applying it assigns its space and its moment, which is that of the commit.
  void put_backup(Backup backup) { backups_.push_back(std::move(backup)); }
  // Stages a new export, with space zero as for a backup, or the new state of one. The end of an
  // export drops its items.
  void put_export(ExportJob job) { exports_.push_back(std::move(job)); }
  // Stages the removal of an export that has ended.
  void erase_export(ExportJob job) { erased_exports_.push_back(std::move(job)); }
  // Stages a new import, with space zero, or the new state of one.
  void put_import(ImportJob job) { imports_.push_back(std::move(job)); }
  void erase_import(ImportJob job) { erased_imports_.push_back(std::move(job)); }
  // Stages a new bulk put, with space zero, or the new state of one. Its end drops its report.
  void put_bulk_job(BulkJob job) { bulk_jobs_.push_back(std::move(job)); }
  // Stages the removal of a bulk put that has ended.
  void erase_bulk_job(BulkJob job) { erased_bulk_jobs_.push_back(std::move(job)); }
  // Stages a new stream of Kinesis, with space zero, or the new state of one. Its records are
  // staged by put_record().
  void put_kinesis_stream(KinesisStream stream) { kinesis_streams_.push_back(std::move(stream)); }
  // Stages the removal of a stream; a chore removes its records later.
  void erase_kinesis_stream(KinesisStream stream) {
    erased_kinesis_streams_.push_back(std::move(stream));
  }
  // Whether a new backup, a new export or a table that is to be restored is staged.
  bool begins_copy() const;
  // Stages the removal of a backup; a chore removes its items later.
  void erase_backup(Backup backup) { erased_backups_.push_back(std::move(backup)); }

  // Origin of the write; the user by default.
  storage::Origin origin() const { return origin_; }
  void set_origin(storage::Origin origin) { origin_ = origin; }

  Random& random() { return random_; }
  // For encoding a record; contents are undefined.
  std::string& scratch() { return scratch_; }
  // For reading one stored item. Reset it after use, so that many large items of a request are
  // never in memory together.
  Arena& looking() { return looking_; }

  struct ItemRecords {
    storage::StoreKey key;
    std::optional<std::string_view> before;
    std::optional<std::string_view> after;
  };
  struct RecordChange {
    storage::StoreKey key;
    std::string_view record;
    bool erase;
  };
  struct StatsChange {
    storage::SpaceId space;
    SpaceStats difference;
  };
  struct CollectionChange {
    storage::SpaceId space;
    std::string_view partition;
    std::int64_t size_bytes;
  };
  const std::vector<ItemRecords>& items() const { return items_; }
  const std::vector<RecordChange>& records() const { return records_; }
  const std::vector<EntryChange>& entries() const { return entries_; }
  const std::vector<ExpiryChange>& expiries() const { return expiries_; }
  const std::optional<storage::StoredToken>& token() const { return token_; }
  const std::vector<StatsChange>& stats() const { return stats_; }
  const std::vector<CollectionChange>& collections() const { return collections_; }
  std::vector<Table>& tables() { return tables_; }
  const std::vector<Table>& erased_tables() const { return erased_tables_; }
  std::vector<Backup>& backups() { return backups_; }
  const std::vector<Backup>& erased_backups() const { return erased_backups_; }
  std::vector<ExportJob>& exports() { return exports_; }
  const std::vector<ExportJob>& erased_exports() const { return erased_exports_; }
  std::vector<ImportJob>& imports() { return imports_; }
  const std::vector<ImportJob>& erased_imports() const { return erased_imports_; }
  std::vector<BulkJob>& bulk_jobs() { return bulk_jobs_; }
  const std::vector<BulkJob>& erased_bulk_jobs() const { return erased_bulk_jobs_; }
  std::vector<KinesisStream>& kinesis_streams() { return kinesis_streams_; }
  const std::vector<KinesisStream>& erased_kinesis_streams() const {
    return erased_kinesis_streams_;
  }

 private:
  Random& random_;
  std::string scratch_;
  Arena looking_;
  storage::Origin origin_ = storage::Origin::User;
  std::vector<ItemRecords> items_;
  std::vector<RecordChange> records_;
  std::vector<EntryChange> entries_;
  std::vector<ExpiryChange> expiries_;
  std::optional<storage::StoredToken> token_;
  std::vector<StatsChange> stats_;
  std::vector<CollectionChange> collections_;
  std::vector<LocatedKey> held_;
  std::vector<Table> tables_;
  std::vector<Table> erased_tables_;
  std::vector<Backup> backups_;
  std::vector<Backup> erased_backups_;
  std::vector<ExportJob> exports_;
  std::vector<ExportJob> erased_exports_;
  std::vector<ImportJob> imports_;
  std::vector<ImportJob> erased_imports_;
  std::vector<BulkJob> bulk_jobs_;
  std::vector<BulkJob> erased_bulk_jobs_;
  std::vector<KinesisStream> kinesis_streams_;
  std::vector<KinesisStream> erased_kinesis_streams_;
};

}  // namespace stator

#include "engine/storage/migration/migration.h"

#include <unordered_set>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/bytes/migration_position.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/records/record_layout.h"
#include "engine/storage/records/table_codec.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/item_store.h"

namespace stator::storage {
namespace {

// Limits of one commit.
constexpr std::size_t kPieceRecordsMax = 2000;
constexpr std::size_t kPieceBytesMax = std::size_t{1} << 20;

// ------------------------------------------------------------------------------------------------
// From version 2: adds stamps to records and applies delayed changes of indexes.

constexpr char kRecordFormatOfVersion2 = 0x01;

enum class StageFrom2 : std::uint8_t { Items = 0, Nodes = 1, IndexChanges = 2, End = 3 };

// Record of version 2 := 01 | billed size:u32le | the rest as today. The time of its write is
// unknown.
Result<std::string> record_from_2(std::string_view record) {
  ByteReader in(record);
  const std::uint8_t format = in.u8();
  const auto size_bytes = in.le<std::uint32_t>();
  if (in.is_damaged() || format != kRecordFormatOfVersion2) {
    return Error(ErrorCode::InternalServerError, "the data is damaged: a record cannot be read");
  }
  std::string out;
  out.reserve(kRecordHeaderBytes + in.rest().size());
  ByteWriter writer(out);
  write_record_header(writer, size_bytes, Stamp{});
  writer.raw(in.rest());
  return out;
}

// What one commit may still do.
struct Piece {
  std::size_t records = 0;
  std::size_t bytes = 0;

  bool is_full() const { return records >= kPieceRecordsMax || bytes >= kPieceBytesMax; }
  void add(std::size_t size_bytes) {
    ++records;
    bytes += size_bytes;
  }
};

// Rewrites the records of Items or Nodes; returns whether all are done.
Result<bool> rewrite_records(WriteTransaction& transaction, Database database,
                             std::string& done_key, Piece& piece) {
  while (!piece.is_full()) {
    STATOR_TRY(const auto met, transaction.seek(database, done_key, /*after=*/!done_key.empty()));
    if (!met) return true;
    done_key = met->key;
    piece.add(met->value.size());
    if (is_pointer_key(met->key)) continue;
    STATOR_TRY(const std::string record, record_from_2(met->value));
    STATOR_CHECK(transaction.put(database, done_key, record));
  }
  return false;
}

// A change of a global index that version 2 delayed:
//   due:u64be | space:u32be | entries:u64be | bytes:u64be | flags:u8 | [key] | [key | record]
//   key := length:u32be | partition | length:u32be | sort
struct ChangeOf2 {
  SpaceId space{};
  SpaceStats difference;
  std::optional<StoreKey> erased;
  std::optional<StoreKey> put;
  std::string_view record;
};

Result<ChangeOf2> change_from_2(std::string_view bytes) {
  ByteReader in(bytes);
  ChangeOf2 change;
  in.be<std::uint64_t>();
  change.space = SpaceId{in.be<std::uint32_t>()};
  change.difference.item_count = static_cast<std::int64_t>(in.be<std::uint64_t>());
  change.difference.size_bytes = static_cast<std::int64_t>(in.be<std::uint64_t>());
  const std::uint8_t flags = in.u8();
  const auto key = [&] {
    const std::string_view partition = in.raw(in.be<std::uint32_t>());
    const std::string_view sort = in.raw(in.be<std::uint32_t>());
    return StoreKey{change.space, partition, sort};
  };
  if ((flags & 1) != 0) change.erased = key();
  if ((flags & 2) != 0) {
    change.put = key();
    change.record = in.raw(in.rest().size());
  }
  STATOR_CHECK(in.finish("a held index change"));
  return change;
}

Result<void> apply_change_of_2(WriteTransaction& transaction, const ChangeOf2& change) {
  if (change.erased) STATOR_CHECK(erase_record(transaction, *change.erased).map([](bool) {}));
  if (change.put) {
    STATOR_TRY(const std::string record, record_from_2(change.record));
    STATOR_CHECK(put_record(transaction, *change.put, record));
  }
  const KeyBuffer key = SpaceKey{change.space}.encode();
  STATOR_TRY(SpaceStats stats, find_stats(transaction, change.space));
  stats.item_count += change.difference.item_count;
  stats.size_bytes += change.difference.size_bytes;
  return transaction.put(Database::Stats, key.view(), encode_stats(stats));
}

Result<std::unordered_set<std::uint32_t>> spaces_of_global_indexes(const Transaction& transaction) {
  std::unordered_set<std::uint32_t> spaces;
  std::string key;
  for (;;) {
    STATOR_TRY(const auto met, transaction.seek(Database::Tables, key, /*after=*/!key.empty()));
    if (!met) return spaces;
    key = met->key;
    const auto table = decode_table(std::string(met->value));
    if (!table) continue;  // rejected where the tables are read
    for (const GlobalIndex& index : table->global_indexes)
      spaces.insert(static_cast<std::uint32_t>(index.space));
  }
}

// Version 2 stored changes of index entries, version 3 stores changes of items. The old ones cannot
// be converted, so they are applied early. Changes of deleted indexes are dropped.
Result<bool> apply_changes(WriteTransaction& transaction, Piece& piece) {
  STATOR_TRY(auto met, transaction.seek(Database::IndexChangesOf2, {}));
  if (!met) return true;
  STATOR_TRY(const auto spaces, spaces_of_global_indexes(transaction));
  while (met && !piece.is_full()) {
    const std::string key(met->key);
    const std::string value(met->value);
    piece.add(value.size());
    STATOR_TRY(const ChangeOf2 change, change_from_2(value));
    if (spaces.contains(static_cast<std::uint32_t>(change.space)))
      STATOR_CHECK(apply_change_of_2(transaction, change));
    STATOR_CHECK(transaction.erase(Database::IndexChangesOf2, key).map([](bool) {}));
    STATOR_TRY(met, transaction.seek(Database::IndexChangesOf2, {}));
  }
  return !met;
}

// Runs the stage until it or the piece is finished; returns whether the stage is.
Result<bool> run_stage_from_2(WriteTransaction& transaction, MigrationPosition& position,
                              Piece& piece) {
  switch (StageFrom2{position.stage}) {
    case StageFrom2::Items:
      return rewrite_records(transaction, Database::Items, position.done_key, piece);
    case StageFrom2::Nodes:
      return rewrite_records(transaction, Database::Nodes, position.done_key, piece);
    case StageFrom2::IndexChanges:
      return apply_changes(transaction, piece);
    case StageFrom2::End:
      break;
  }
  return true;
}

// Runs one piece of the step; returns whether it was the last.
Result<bool> migrate_from_2(WriteTransaction& transaction, MigrationPosition& position,
                            Piece& piece) {
  while (!piece.is_full()) {
    if (StageFrom2{position.stage} == StageFrom2::End) return true;
    STATOR_TRY(const bool is_done, run_stage_from_2(transaction, position, piece));
    if (!is_done) return false;
    ++position.stage;
    position.done_key.clear();
  }
  return false;
}

}  // namespace

Result<void> finish_migration(Environment& environment, const MigrationListener& listener) {
  for (std::uint64_t records = 0;;) {
    STATOR_TRY(const auto transaction, WriteTransaction::begin(environment));
    const std::string_view key = encode(MetaKey::Migration);
    STATOR_TRY(const auto stored, transaction->find(Database::Meta, key));
    if (!stored) return {};
    STATOR_TRY(MigrationPosition position, MigrationPosition::decode(*stored));
    if (listener) listener({position.from, records});
    Piece piece;
    STATOR_TRY(const bool is_done, migrate_from_2(*transaction, position, piece));
    if (is_done) {
      STATOR_CHECK(transaction->drop(Database::IndexChangesOf2));
      STATOR_CHECK(transaction->erase(Database::Meta, key).map([](bool) {}));
    } else {
      STATOR_CHECK(transaction->put(Database::Meta, key, position.encode()));
    }
    STATOR_CHECK(transaction->commit());
    records += piece.records;
  }
}

}  // namespace stator::storage

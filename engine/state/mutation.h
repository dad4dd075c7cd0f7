// Mutation: what a write has decided, not yet applied. An operation fills it; the engine applies it
// in the batch's transaction once the operation has succeeded, so a refused request leaves no
// trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/table.h"
#include "engine/seams/random.h"
#include "engine/state/primary_key.h"
#include "engine/state/snapshot.h"
#include "engine/storage/item_store.h"
#include "engine/storage/stamp.h"
#include "engine/storage/token_store.h"
#include "protocol/arena.h"

namespace stator {

class Mutation {
 public:
  explicit Mutation(Random& random) : random_(random) {}
  Mutation(const Mutation&) = delete;
  Mutation& operator=(const Mutation&) = delete;

  // Forgets what was decided.
  void clear();

  // What happens to an item: its record before and after, either empty for no item. Goes to the
  // journal when somebody follows the table (engine/storage/journal.h). All views must stay valid
  // until the mutation is applied: request arena, or the snapshot.
  void change_item(const storage::StoreKey& key, std::optional<std::string_view> before,
                   std::optional<std::string_view> after) {
    if (before || after) items_.push_back({key, before, after});
  }

  // The same without journal, for entries of indexes.
  void put_record(const storage::StoreKey& key, std::string_view record) {
    records_.push_back({key, record, false});
  }
  void erase_record(const storage::StoreKey& key) { records_.push_back({key, {}, true}); }

  // What happens to the entry of one item in one global index; entries may follow their items
  // late (Settings::gsi_delay).
  struct EntryChange {
    storage::SpaceId space{};
    std::optional<storage::StoreKey> erased;  // before the other
    std::optional<storage::StoreKey> put;
    std::string_view record;  // of `put`
    SpaceStats difference;
  };
  void change_entry(const EntryChange& change) { entries_.push_back(change); }
  // The same at once, whatever the settings say.
  void apply_entry(const EntryChange& change);

  // When an item expires, before and after; empty: never (engine/indexes/expiry_entries.h). The
  // views as of change_item().
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

  // The token of the request, kept as finished when the mutation is applied; one for a mutation.
  // All views must stay valid until then, and none may point into the snapshot.
  void keep_token(const storage::TokenName& name, std::string_view fingerprint,
                  std::string_view payload) {
    token_ = {name, Timestamp{}, fingerprint, payload};
  }

  // Differences to the statistics of a space, and to the size of an item collection; those of one
  // collection add up.
  void count(storage::SpaceId space, SpaceStats difference);
  void count_collection(storage::SpaceId space, std::string_view partition,
                        std::int64_t size_bytes);

  // What is decided is a transaction on these items: in flight for Settings::transaction_time
  // before it is applied (engine/state/flights.h).
  void hold(std::vector<LocatedKey> items) { held_ = std::move(items); }
  const std::vector<LocatedKey>& held() const { return held_; }

  // A new table (space still zero: the engine numbers it and its indexes), or a new state of a
  // table.
  void put_table(Table table) { tables_.push_back(std::move(table)); }
  // Removes a table; its items are swept later.
  void erase_table(const Table& table) { erased_tables_.push_back(table); }

  // Who writes; the user unless said otherwise.
  storage::Origin origin() const { return origin_; }
  void set_origin(storage::Origin origin) { origin_ = origin; }

  Random& random() { return random_; }
  // For encoding a record; contents are undefined.
  std::string& scratch() { return scratch_; }
  // For looking at one stored item; whoever has done so resets it, so that many large items of a
  // request are never in memory together.
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
  const std::optional<storage::KeptToken>& token() const { return token_; }
  const std::vector<StatsChange>& stats() const { return stats_; }
  const std::vector<CollectionChange>& collections() const { return collections_; }
  std::vector<Table>& tables() { return tables_; }
  const std::vector<Table>& erased_tables() const { return erased_tables_; }

 private:
  Random& random_;
  std::string scratch_;
  Arena looking_;
  storage::Origin origin_ = storage::Origin::User;
  std::vector<ItemRecords> items_;
  std::vector<RecordChange> records_;
  std::vector<EntryChange> entries_;
  std::vector<ExpiryChange> expiries_;
  std::optional<storage::KeptToken> token_;
  std::vector<StatsChange> stats_;
  std::vector<CollectionChange> collections_;
  std::vector<LocatedKey> held_;
  std::vector<Table> tables_;
  std::vector<Table> erased_tables_;
};

}  // namespace stator

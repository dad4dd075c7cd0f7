// Late indexes (Settings::gsi_delay): each active global index is a consumer of its table's
// journal. Bound to the index, so that no index delays another.
//
// In a full store they must go on: deletions extend the journal, which only they can shrink. So a
// frugal piece uses the reserve, but gives back what it takes: the entries of the journal that it
// has read contain all that it puts, and go with it. Where another consumer retains them, puts need
// ordinary room. But once all changes are due, items that are gone by then get no entry any more.
// So an index has for each item the entry as of its position, or none, and each change counts what
// it finds in the index.
#include <algorithm>
#include <limits>
#include <utility>

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

// An entry of the journal that does not refer to pages, which change while it is applied.
Result<storage::JournalEntry> read_change(const storage::NumberedEntry& entry, ChorePiece& piece) {
  return storage::decode_journal_entry(piece.arena.copy(entry.bytes));
}

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

// How a piece applies changes.
struct Way {
  bool skips = false;          // items that are gone get no entry
  bool keeps_reserve = false;  // puts take ordinary room
  std::uint64_t end = kNoEnd;  // the number of the first change that it leaves
};

Result<Way> frugal_way(const storage::Consumer& consumer, std::chrono::microseconds delay,
                       const ChorePiece& piece) {
  Way way;
  STATOR_TRY(const auto last,
             storage::find_before_in_journal(piece.transaction, consumer.table, kNoEnd));
  if (!last || last->number < consumer.position) return way;
  STATOR_TRY(const auto last_change, storage::decode_journal_entry(last->bytes));
  way.skips = last_change.written.time.plus(delay) <= piece.now;
  std::uint64_t retained = kNoEnd;  // the first that another consumer retains
  STATOR_TRY(const auto all, storage::consumers_of(piece.transaction, consumer.table));
  for (const storage::Consumer& other : all) {
    if (other.name != consumer.name) retained = std::min(retained, other.position);
  }
  STATOR_TRY(const auto first,
             storage::find_in_journal(piece.transaction, consumer.table, consumer.position));
  way.keeps_reserve = first && first->number >= retained;
  if (!way.keeps_reserve) way.end = retained;
  return way;
}

// Applies changes of a table to one of its indexes.
class IndexWriter {
 public:
  // `keeps_reserve`: puts take ordinary room.
  IndexWriter(const Table& table, const GlobalIndex& index, bool keeps_reserve, ChorePiece& piece)
      : table_(table), index_(index), keeps_reserve_(keeps_reserve), piece_(piece) {}

  // Replaces the item's entry of before the change. `skips`: an item that is gone gets none.
  Result<void> follow(const storage::JournalEntry& entry, bool skips) {
    auto after = entry.after;
    if (after && skips) {
      STATOR_TRY(
          const auto present,
          storage::find_record(piece_.transaction, {table_.space, entry.partition, entry.sort}));
      if (!present) after.reset();
    }
    auto change = change_between(entry.before, after);
    if (!change) return {};
    STATOR_TRY(change->difference, difference_of(*change));
    return apply(*change);
  }

 private:
  using Record = std::optional<std::string_view>;

  std::optional<EntryChange> change_between(const Record& before, const Record& after) const {
    return late_index_change(table_, index_, indexed_item(before, piece_.arena),
                             indexed_item(after, piece_.arena), piece_.mutation.scratch(),
                             piece_.arena);
  }

  // At once: the next change reads what this one has made of the index.
  Result<void> apply(const EntryChange& change) {
    if (change.put && std::exchange(keeps_reserve_, false)) piece_.transaction.keep_reserve();
    piece_.mutation.apply_entry(change);
    STATOR_CHECK(piece_.apply());
    piece_.mutation.clear();
    return {};
  }

  Result<SpaceStats> difference_of(const EntryChange& change) const {
    SpaceStats difference;
    for (const auto& key : {change.erased, change.put}) {
      if (!key) continue;
      STATOR_TRY(const auto replaced, storage::find_record(piece_.transaction, *key));
      if (replaced) count(difference, -1, *replaced);
    }
    if (change.put) count(difference, 1, change.record);
    return difference;
  }

  static void count(SpaceStats& difference, std::int64_t items, std::string_view record) {
    difference.item_count += items;
    difference.size_bytes +=
        items * static_cast<std::int64_t>(storage::EncodedItem(record).size_bytes());
  }

  const Table& table_;
  const GlobalIndex& index_;
  bool keeps_reserve_;
  ChorePiece& piece_;
};

// The index has all changes: from now on writes maintain it themselves.
Result<void> end_lateness(storage::SpaceId index, ChorePiece& piece) {
  const Table* table = piece.catalog().find(index);
  if (table == nullptr || !piece.batch.consumers().is_late(index)) return {};
  return piece.batch.remove_consumer(table->space, late_index_consumer(index), piece.transaction);
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

  bool has_frugal_pieces() const override { return true; }

  Result<std::string> work_of(const ChoreSubject& subject,
                              const Snapshot& snapshot) const override {
    const Table* table = snapshot.catalog().find(subject.space);
    const GlobalIndex* index = table == nullptr ? nullptr : table->find_global_index(subject.space);
    if (index == nullptr) return std::string();
    return "the index '" + index->name + "' of table '" + table->name + "'";
  }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    STATOR_TRY(const auto due, apply_late_changes(subject.space, delay(), piece));
    // Without a delay it was late only for lack of room (Engine::set_delays()).
    if (!due && delay().count() == 0) STATOR_CHECK(end_lateness(subject.space, piece));
    return due;
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
  Way way;
  if (piece.is_frugal) {
    STATOR_TRY(way, frugal_way({table->space, name, *begun}, delay, piece));
  }
  IndexWriter writer(*table, *index, way.keeps_reserve, piece);
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
    if (next->number >= way.end) break;
    if (count >= piece.limits.records_max || bytes >= piece.limits.bytes_max) break;
    bytes += next->bytes.size();
    position = next->number + 1;
    due.reset();
    STATOR_TRY(const auto entry, read_change(*next, piece));
    STATOR_CHECK(writer.follow(entry, way.skips));
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

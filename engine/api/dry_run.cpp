#include "engine/api/dry_run.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "engine/catalog/catalog.h"
#include "engine/catalog/primary_key.h"
#include "engine/indexes/fixed_list.h"
#include "engine/indexes/index_entries.h"
#include "engine/reports/reported_key.h"
#include "engine/schema/capacity.h"
#include "engine/schema/table.h"
#include "engine/seams/random.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/records/item_codec.h"
#include "protocol/values/item_size.h"

namespace stator {

namespace {

constexpr std::array<std::string_view, 13> kItemOperations = {"BatchExecuteStatement",
                                                              "BatchGetItem",
                                                              "BatchWriteItem",
                                                              "DeleteItem",
                                                              "ExecuteStatement",
                                                              "ExecuteTransaction",
                                                              "GetItem",
                                                              "PutItem",
                                                              "Query",
                                                              "Scan",
                                                              "TransactGetItems",
                                                              "TransactWriteItems",
                                                              "UpdateItem"};

using Record = std::optional<std::string_view>;

bool is_transaction(const Operation& operation) {
  return operation.name == "TransactWriteItems" || operation.name == "ExecuteTransaction";
}

// What one item's change would do to the item, its table's indexes and its stream.
class Change {
 public:
  Change(const Table& table, const Mutation::ItemRecords& records, Arena& arena)
      : table_(table),
        records_(records),
        arena_(arena),
        before_(indexed(records.before)),
        after_(indexed(records.after)) {}

  DryRun::Change told(bool is_transactional) const {
    const DryRun::Sizes sizes{size_of(before_), size_of(after_)};
    const auto larger = static_cast<std::size_t>(std::max(sizes.before_bytes, sizes.after_bytes));
    DryRun::Change told{table_.name,
                        item_key_json(table_, any().record, arena_),
                        sizes,
                        write_units_milli(larger),
                        index_changes_told(),
                        std::nullopt};
    if (table_.has_enabled_stream() && !is_same()) told.stream_bytes = stream_bytes(sizes);
    if (is_transactional) told.units_milli *= 2;  // entries of indexes cost the same
    return told;
  }

 private:
  std::optional<IndexedItem> indexed(const Record& record) const {
    if (!record) return std::nullopt;
    const storage::EncodedItem encoded(*record);
    return IndexedItem{encoded.decode(arena_), encoded.size_bytes(), *record};
  }

  static std::int64_t size_of(const std::optional<IndexedItem>& item) {
    return item ? static_cast<std::int64_t>(item->size_bytes) : 0;
  }

  // Such a write has no stream record.
  bool is_same() const {
    return before_ && after_ && storage::is_same_item(*records_.before, *records_.after);
  }

  const IndexedItem& any() const { return after_ ? *after_ : *before_; }

  std::vector<DryRun::IndexChange> index_changes_told() const {
    FixedList<Charge> charges(charges_max(table_), arena_);
    std::string scratch;
    const PrimaryKey key{records_.key.partition, records_.key.sort};
    const IndexChanges changes =
        index_changes(table_, key, before_, after_, scratch, arena_, charges);
    std::vector<DryRun::IndexChange> told;
    tell(table_.local_indexes, changes.local, charges.elements(), told);
    tell(table_.global_indexes, changes.global, charges.elements(), told);
    return told;
  }

  template <class Index>
  static void tell(const std::vector<Index>& indexes, std::span<const EntryChange> changes,
                   std::span<const Charge> charges, std::vector<DryRun::IndexChange>& told) {
    for (const EntryChange& change : changes) {
      const auto index = std::find_if(indexes.begin(), indexes.end(), [&](const Index& each) {
        return each.space == change.space;
      });
      DryRun::IndexChange& one = told.emplace_back();
      one.index = index->name;
      if (change.put) {
        const auto bytes = storage::EncodedItem(change.record).size_bytes();
        one.sizes.after_bytes = static_cast<std::int64_t>(bytes);
      }
      one.sizes.before_bytes = one.sizes.after_bytes - change.difference.size_bytes;
      one.is_moved = change.erased && change.put;
      for (const Charge& charge : charges) {
        if (charge.index_name == index->name) one.units_milli += charge.units_milli;
      }
    }
  }

  std::int64_t stream_bytes(const DryRun::Sizes& sizes) const {
    std::int64_t bytes = 0;
    for (const Member& attribute : any().attributes) {
      if (!table_.is_key(attribute.name)) continue;
      bytes += static_cast<std::int64_t>(item_size_bytes(std::span(&attribute, 1)));
    }
    if (shows_old_image(table_.stream->view_type)) bytes += sizes.before_bytes;
    if (shows_new_image(table_.stream->view_type)) bytes += sizes.after_bytes;
    return bytes;
  }

  const Table& table_;
  const Mutation::ItemRecords& records_;
  Arena& arena_;
  std::optional<IndexedItem> before_;
  std::optional<IndexedItem> after_;
};

void collect(const Mutation& mutation, const Snapshot& snapshot, Call& call, DryRun& would) {
  for (const Mutation::ItemRecords& records : mutation.items()) {
    ++would.item_count;
    if (would.changes.size() == DryRun::kItemsMax) continue;
    const Table* const table = snapshot.catalog().find(records.key.space);
    if (table == nullptr) continue;
    const Change change(*table, records, call.arena);
    would.changes.push_back(change.told(is_transaction(*call.operation)));
  }
}

}  // namespace

bool has_dry_run(const Operation& operation) {
  return std::binary_search(kItemOperations.begin(), kItemOperations.end(), operation.name);
}

Result<void> run_dry(Call& call, const Snapshot& snapshot, DryRun& would) {
  if (call.access == Access::Read) return call.operation->read(call.request, snapshot, call);
  SeededRandom random(0);  // operations on items draw nothing
  Mutation mutation(random);
  STATOR_CHECK(call.operation->write(call.request, snapshot, mutation, call));
  call.charge_response();
  collect(mutation, snapshot, call, would);
  return {};
}

}  // namespace stator

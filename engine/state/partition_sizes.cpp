#include "engine/state/partition_sizes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"

namespace stator {
namespace {

std::int64_t size_of(std::optional<std::string_view> record) {
  return record ? static_cast<std::int64_t>(storage::EncodedItem(*record).size_bytes()) : 0;
}

capacity::Position place_of(const capacity::ThroughputState& state, std::string_view partition,
                            std::string_view sort) {
  capacity::Position place{storage::partition_hash(partition), {}};
  if (state.partitions().has_divided()) place.sort = position_sort(capacity::Place{.sort = sort});
  return place;
}

// Whether one entry is erased and stored again under another key.
bool may_move(const Mutation::RecordChange& erased, const Mutation::RecordChange& put) {
  return erased.erase && !put.erase && erased.key.space == put.key.space;
}

}  // namespace

void PartitionSizes::note(const Mutation& mutation, const Catalog& tables) {
  if (mutation.stats().empty() && mutation.records().empty()) return;
  totals_.clear();
  for (const auto& [space, difference] : mutation.stats()) {
    if (difference.size_bytes == 0) continue;
    const Table* table = tables.find(space);
    if (table == nullptr || table->runtime->throughput == nullptr) continue;
    const GlobalIndex* index = table->find_global_index(space);
    const storage::SpaceId whole = index != nullptr ? space : table->space;
    auto total = std::find_if(totals_.begin(), totals_.end(),
                              [whole](const Total& one) { return one.space == whole; });
    if (total == totals_.end()) total = totals_.insert(total, {whole, table, index, 0});
    total->size_bytes += difference.size_bytes;
  }
  // A moved entry of the same size makes no difference to its index's total.
  const auto& records = mutation.records();
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    if (!may_move(records[i], records[i + 1])) continue;
    const storage::SpaceId space = records[i].key.space;
    const auto is_of_space = [space](const Total& one) { return one.space == space; };
    if (std::any_of(totals_.begin(), totals_.end(), is_of_space)) continue;
    const Table* table = tables.find(space);
    if (table == nullptr || table->runtime->throughput == nullptr) continue;
    if (const GlobalIndex* index = table->find_global_index(space))
      totals_.push_back({space, table, index, 0});
  }
  for (const Total& total : totals_) {
    const TableRuntime& runtime =
        total.index != nullptr ? *total.index->runtime : *total.table->runtime;
    if (runtime.throughput->partitions().count() == 1) {
      if (total.size_bytes == 0) continue;
      changes_.push_back({runtime.throughput, total.space, {}, total.size_bytes});
    } else if (total.index != nullptr) {
      note_entries(mutation, *total.index, total.size_bytes);
    } else {
      note_items(mutation, *total.table);
    }
  }
}

// With local indexes, the sizes of collections include their entries.
void PartitionSizes::note_items(const Mutation& mutation, const Table& table) {
  const auto& state = table.runtime->throughput;
  const auto add = [&](std::string_view partition, std::string_view sort, std::int64_t size_bytes) {
    if (size_bytes == 0) return;
    changes_.push_back({state, table.space, place_of(*state, partition, sort), size_bytes});
  };
  if (!table.local_indexes.empty()) {
    for (const auto& change : mutation.collections()) {
      if (change.space == table.space) add(change.partition, {}, change.size_bytes);
    }
    return;
  }
  for (const auto& change : mutation.items()) {
    if (change.key.space == table.space)
      add(change.key.partition, change.key.sort, size_of(change.after) - size_of(change.before));
  }
}

// The sizes of erased entries are unknown. The rest of `size_bytes`, after all stored entries, is
// divided among them.
void PartitionSizes::note_entries(const Mutation& mutation, const GlobalIndex& index,
                                  std::int64_t size_bytes) {
  const auto& state = index.runtime->throughput;
  std::int64_t erased_bytes = size_bytes;
  std::int64_t erased = 0;
  for (const auto& change : mutation.records()) {
    if (change.key.space != index.space) continue;
    if (change.erase) ++erased;
    if (!change.erase) erased_bytes -= size_of(change.record);
  }
  for (const auto& change : mutation.records()) {
    if (change.key.space != index.space) continue;
    std::int64_t part_bytes = size_of(change.erase ? std::nullopt : std::optional(change.record));
    if (change.erase || erased == 0) {
      // Without an erased entry, an entry was replaced in place.
      const std::int64_t share = erased > 0 ? erased : 1;
      part_bytes += erased_bytes / share;
      erased_bytes -= erased_bytes / share;
      if (erased > 0) --erased;
    }
    changes_.push_back(
        {state, index.space, place_of(*state, change.key.partition, change.key.sort), part_bytes});
  }
}

std::vector<OversizedPartition> PartitionSizes::end(bool committed) {
  std::vector<OversizedPartition> oversized;
  for (const Change& change : std::exchange(changes_, {})) {
    const capacity::Place place{.hash = change.place.hash, .sort = change.place.sort};
    if (committed && change.state->add_bytes(place, change.size_bytes))
      oversized.push_back({change.space, change.place});
  }
  return oversized;
}

}  // namespace stator

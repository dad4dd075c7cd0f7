// PartitionSizes: the bytes that a batch's mutations add to partitions, and the partitions that
// become too large. Used by the leader only.
//
// Bytes are billed ones: of items with their local index entries, or of a global index's entries.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/schema/space.h"
#include "engine/state/mutation.h"
#include "engine/throughput/throughput_state.h"

namespace stator {

// A partition to split: the space of its table or global index, and a position inside it.
struct OversizedPartition {
  storage::SpaceId space{};
  capacity::Position place;
};

class PartitionSizes {
 public:
  // Collects the changes of `mutation`. REQUIRES: its entry changes are applied to it, and nothing
  // of it is written; `tables` has the tables from before.
  void note(const Mutation& mutation, const Catalog& tables);
  // Ends the batch. Returns the partitions that it left too large.
  std::vector<OversizedPartition> end(bool committed);

 private:
  struct Change {
    std::shared_ptr<capacity::ThroughputState> state;
    storage::SpaceId space{};
    capacity::Position place;
    std::int64_t size_bytes = 0;
  };
  // For a table with its local indexes, or for a global index.
  struct Total {
    storage::SpaceId space{};
    const Table* table = nullptr;
    const GlobalIndex* index = nullptr;
    std::int64_t size_bytes = 0;
  };
  void note_items(const Mutation& mutation, const Table& table);
  void note_entries(const Mutation& mutation, const GlobalIndex& index, std::int64_t size_bytes);

  std::vector<Change> changes_;
  std::vector<Total> totals_;  // of one mutation; a member to reuse its memory
};

}  // namespace stator

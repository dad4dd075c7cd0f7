// PartitionSizes: what the mutations of a batch add to the bytes of partitions, and which ones
// become too large by that. The leader's.
//
// Bytes are billed ones, of items with their entries in local indexes, or of a global index's
// entries.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/capacity/throughput_state.h"
#include "engine/schema/space.h"
#include "engine/state/catalog.h"
#include "engine/state/mutation.h"

namespace stator {

// A partition that is to be split: of the table or global index with that space, and with a place
// that it has.
struct OversizedPartition {
  storage::SpaceId space{};
  capacity::Position place;
};

class PartitionSizes {
 public:
  // REQUIRES: the entries of `mutation` are applied, and nothing of it is written yet; `tables` has
  // its tables as they were before.
  void note(const Mutation& mutation, const Catalog& tables);
  // The batch is over. Returns the partitions that it left too large.
  std::vector<OversizedPartition> end(bool committed);

 private:
  struct Change {
    std::shared_ptr<capacity::ThroughputState> state;
    storage::SpaceId space{};
    capacity::Position place;
    std::int64_t size_bytes = 0;
  };
  // Of a table with its local indexes, or of a global index.
  struct Total {
    storage::SpaceId space{};
    const Table* table = nullptr;
    const GlobalIndex* index = nullptr;
    std::int64_t size_bytes = 0;
  };
  void note_items(const Mutation& mutation, const Table& table);
  void note_entries(const Mutation& mutation, const GlobalIndex& index, std::int64_t size_bytes);

  std::vector<Change> changes_;
  std::vector<Total> totals_;  // of one mutation; kept for its memory
};

}  // namespace stator

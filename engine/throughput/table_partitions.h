// TablePartitions: the partitions of one table or index, with the bytes in each and their latest
// splits.
//
// Functions without a note are safe from any thread and never wait.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/capacity/parameters.h"
#include "engine/capacity/partition.h"
#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/seams/clock.h"
#include "engine/throughput/throughput_values.h"

namespace stator::capacity {

class TablePartitions {
 public:
  // REQUIRES: the parameters outlive this; `begins` rise from {0, ""}.
  TablePartitions(const std::vector<Position>& begins, const CapacityParameters& parameters,
                  Timestamp now);
  // The begins of a new table's partitions with at least `warm` throughput.
  static std::vector<Position> first_begins(const CapacitySettings& settings,
                                            const CapacityParameters& parameters,
                                            const Throughput& warm);
  static std::vector<Position> persisted_begins(const PersistedThroughput& persisted);
  // Sets the persisted bytes and splits, done and due. REQUIRES: made of the persisted begins, not
  // used yet.
  void restore(const PersistedThroughput& persisted);
  std::vector<PersistedThroughput::Part> persistent_form() const;

  Partition& at(const Place& place) const { return map_.at(place); }
  Partition& at(const Position& position) const {
    return map_.at({.hash = position.hash, .sort = position.sort});
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(map_.count()); }
  // In the order of positions.
  std::vector<Partition*> all() const { return map_.all(); }
  // Whether the partition of the position serves another charge.
  bool serves(Dimension dimension, const Place& place, Timestamp now) const;
  // Whether some partition serves no charge; true also if there are too many to check.
  bool may_refuse(Dimension dimension, Timestamp now) const;
  // Begins of partitions, rising: the one that contains the position, then those after it that
  // begin before `end`.
  std::vector<Position> begins_from(const Place& place, const Position& end) const;
  // Whether any partition begins inside an item collection, so that sort keys matter for positions.
  bool has_divided() const { return has_divided_.load(std::memory_order_relaxed); }

  // --- Bytes

  struct Growth {
    bool is_too_large = false;  // the partition should be split
    bool is_notable = false;    // the bytes should be persisted again
  };
  Growth add_bytes(const Place& place, std::int64_t size_bytes);
  // A partition, valid until it is split: its begin and its hashes. It may have its last hash only
  // in part.
  struct Range {
    Position begin;
    std::uint32_t hash_end = 0;  // one past the last
    std::int64_t size_bytes = 0;
    bool is_too_large = false;
  };
  Range range_of(const Place& place) const;
  // The partition cannot be split: it is not too large until it has grown further.
  void mark_unsplittable(const Place& place);
  // Sets the total bytes; distributes them in proportion to the known sizes. One thread at a time.
  void set_size(std::int64_t size_bytes);
  // Whether bytes were added since the state last passed to was_persisted().
  bool has_new_bytes() const { return has_new_bytes_.load(std::memory_order_relaxed); }
  void was_persisted(const PersistedThroughput& persisted);

  // --- Splits. One thread at a time.

  // Splits the partition at the boundary. Returns what it consumed in the open window, which its
  // halves do not count; empty if not possible.
  using ConsumedUnits = std::array<std::int64_t, kDimensions>;
  std::optional<ConsumedUnits> split(const Position& boundary, SplitCause cause, Timestamp at);
  // Distributes the bytes of a split partition to its halves. REQUIRES: `whole` is split.
  static void set_halves(const Partition& whole, std::int64_t low_bytes, std::int64_t total_bytes);
  // The middle of each partition's hashes, if it has several hashes.
  std::vector<Position> middles() const;
  // The last splits, oldest first.
  const std::vector<PartitionSplit>& splits() const { return splits_; }
  // The hashes of those splits that are between two hashes.
  std::vector<std::uint32_t> split_hashes() const;

  void refresh(Timestamp last, Timestamp now);
  void report(Timestamp now, ThroughputReport& report) const;

 private:
  const CapacityParameters& parameters_;
  PartitionMap map_;
  std::atomic<bool> has_new_bytes_{false};
  std::atomic<bool> has_divided_{false};
  std::vector<PartitionSplit> splits_;
};

}  // namespace stator::capacity

// AllBuckets: every bucket of a throughput state under its number, for persisting balances. One
// thread at a time.
#pragma once

#include <cstdint>

#include "engine/seams/clock.h"
#include "engine/throughput/own_buckets.h"
#include "engine/throughput/table_partitions.h"
#include "engine/throughput/throughput_values.h"

namespace stator::capacity {

// A view; both parts must outlive it.
class AllBuckets {
 public:
  AllBuckets(OwnBuckets& own, const TablePartitions& partitions)
      : own_(own), partitions_(partitions) {}

  // The balances of buckets that are not full.
  PersistedBalances balances(Timestamp now);
  // Sets persisted balances, plus the refill since; other buckets are full.
  void resume(const PersistedBalances& balances, Timestamp now);

 private:
  // The numbers are persisted. Buckets that an index shares with its table belong to the table.
  template <class Visit>
  void for_each(const Visit& visit);

  OwnBuckets& own_;
  const TablePartitions& partitions_;
};

}  // namespace stator::capacity

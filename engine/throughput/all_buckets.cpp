#include "engine/throughput/all_buckets.h"

#include <algorithm>
#include <limits>

namespace stator::capacity {

template <class Visit>
void AllBuckets::for_each(const Visit& visit) {
  std::uint32_t number = own_.for_each(visit);
  for (Partition* partition : partitions_.all()) {
    for (Partition::Side& part : partition->sides) {
      visit(number++, part.limit);
      visit(number++, part.share);
    }
  }
}

PersistedBalances AllBuckets::balances(Timestamp now) {
  PersistedBalances found{now, {}};
  for_each([&](std::uint32_t number, const TokenBucket& bucket) {
    const std::int64_t balance_micro = bucket.balance_micro(now);
    if (balance_micro < bucket.size_micro()) found.lacking.push_back({number, balance_micro});
  });
  return found;
}

void AllBuckets::resume(const PersistedBalances& balances, Timestamp now) {
  constexpr std::int64_t kMore = std::numeric_limits<std::int64_t>::max();  // above any capacity
  const Timestamp then = std::min(balances.as_of, now);
  auto lacking = balances.lacking.begin();
  for_each([&](std::uint32_t number, TokenBucket& bucket) {
    while (lacking != balances.lacking.end() && lacking->number < number) ++lacking;
    const bool lacks = lacking != balances.lacking.end() && lacking->number == number;
    bucket.resume(lacks ? lacking->balance_micro : kMore, then, now);
  });
}

}  // namespace stator::capacity

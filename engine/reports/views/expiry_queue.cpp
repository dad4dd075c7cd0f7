#include "engine/reports/views/expiry_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/reports/reported_key.h"
#include "engine/schema/expiry.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stores/expiries.h"

namespace stator {
namespace {

using namespace std::chrono_literals;

// Ends of the buckets, from now. The rest has one of its own.
constexpr std::chrono::microseconds kBucketEnds[] = {0us, 1min, 1h, 24h, 7 * 24h, 30 * 24h};

class QueueReader {
 public:
  QueueReader(const Snapshot& snapshot, const Settings& settings, const Table& table,
              const TimeToLive& expiry)
      : snapshot_(snapshot),
        table_(table),
        expiry_(expiry),
        delay_(settings.ttl_delay),
        window_(ExpiryWindow::at(snapshot.now(), {})) {}

  // Counts the items that are due, and those that never will be.
  Result<void> count(ExpiryQueue& queue) const {
    STATOR_TRY(auto met, first(0));
    std::size_t left = kExpiriesCountedMax;
    for (; met && met->due_s < window_.first_s && left > 0; --left) {
      ++queue.too_old;
      STATOR_TRY(met, after(*met));
    }
    const bool is_cut = met && met->due_s < window_.first_s;
    STATOR_TRY(met, first(window_.first_s));
    queue.lag = lag_of(met);
    std::size_t bucket = 0;
    for (; met && left > 0; --left) {
      while (bucket < std::size(kBucketEnds) && due(*met) > end_of(bucket)) ++bucket;
      while (queue.buckets.size() <= bucket)
        queue.buckets.push_back(bucket_at(queue.buckets.size()));
      ++queue.buckets[bucket].items;
      STATOR_TRY(met, after(*met));
    }
    queue.has_more = is_cut || met.has_value() || expiry_.build.has_value();
    return {};
  }

  Result<void> list(const std::optional<ExpiryPlace>& behind, std::size_t items_max,
                    ExpiryQueue& queue) const {
    STATOR_TRY(auto met,
               behind ? after({expiry_.space, behind->due_s, behind->partition, behind->sort})
                      : first(window_.first_s));
    ExpiryPlace last;
    while (met) {
      if (queue.items.size() == items_max) {
        queue.next = std::move(last);
        break;
      }
      const Timestamp expires = ExpiryWindow::begin(met->due_s - 1, {});
      queue.items.push_back(
          {item_key_json(table_.partition_key, table_.sort_key, met->partition, met->sort), expires,
           due(*met)});
      if (queue.items.size() == items_max)
        last = {met->due_s, std::string(met->partition), std::string(met->sort)};
      STATOR_TRY(met, after(*met));
    }
    return {};
  }

 private:
  Result<std::optional<storage::Expiry>> first(std::uint64_t due_s) const {
    return storage::first_expiry(snapshot_.transaction(), expiry_.space, due_s);
  }
  Result<std::optional<storage::Expiry>> after(const storage::Expiry& entry) const {
    return storage::next_expiry(snapshot_.transaction(), entry);
  }
  Timestamp due(const storage::Expiry& entry) const {
    return std::max(ExpiryWindow::begin(entry.due_s, delay_), expiry_.changing_until);
  }
  Timestamp end_of(std::size_t bucket) const { return snapshot_.now().plus(kBucketEnds[bucket]); }
  ExpiryQueue::Bucket bucket_at(std::size_t bucket) const {
    if (bucket == std::size(kBucketEnds)) return {};
    return {end_of(bucket)};
  }
  std::chrono::microseconds lag_of(const std::optional<storage::Expiry>& oldest) const {
    if (!oldest || oldest->due_s > window_.last_s) return {};
    const Timestamp expired = ExpiryWindow::begin(oldest->due_s, {});
    return std::chrono::microseconds(snapshot_.now().unix_us - expired.unix_us);
  }

  const Snapshot& snapshot_;
  const Table& table_;
  const TimeToLive& expiry_;
  const std::chrono::microseconds delay_;
  const ExpiryWindow window_;
};

}  // namespace

Result<ExpiryQueue> expiry_queue(const Snapshot& snapshot, const Settings& settings,
                                 const Table& table, const std::optional<ExpiryPlace>& after,
                                 std::size_t items_max) {
  ExpiryQueue queue;
  queue.deleted = table.runtime->expired_items;
  if (table.expiry() == nullptr) return queue;
  const QueueReader reader(snapshot, settings, table, *table.expiry());
  STATOR_CHECK(reader.count(queue));
  STATOR_CHECK(reader.list(after, items_max, queue));
  return queue;
}

}  // namespace stator

// ItemWriter: writes many items to a table through several connections.
//
// Items of one key use the same connection, in their order. Memory is bounded by a few batches per
// connection.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/data/transfer/dynamodb_client.h"
#include "server/data/transfer/rate.h"

namespace stator::data {

// An item to put, or the key of an item to delete.
struct Entry {
  std::string key;   // equal only for equal keys
  std::string json;  // {"a":{"S":"x"}}
  bool is_delete = false;
  std::string origin;  // "items.csv line 7"
  std::string raw;     // as Record has it
};

class ItemWriter {
 public:
  // Called when the endpoint rejects an entry as invalid; returns whether to continue. Any thread,
  // one call at a time.
  using Refused = std::function<bool(const Entry& entry, const std::string& why)>;

  // `rate` must outlive the writer. REQUIRES: the endpoint has responded before.
  ItemWriter(const Endpoint& endpoint, std::string table, unsigned connections, Rate& rate,
             Refused refused);
  // Drops what is not written yet.
  ~ItemWriter();
  ItemWriter(const ItemWriter&) = delete;
  ItemWriter& operator=(const ItemWriter&) = delete;

  // Waits while the queue of the entry's connection is full. Returns false if the writer has
  // stopped, see failure().
  bool add(Entry entry);
  // Waits until all is written. Returns false as above.
  bool finish();

  std::uint64_t written() const { return written_; }
  // Why the writer stopped; empty if a rejected entry or an interruption was the reason.
  std::string failure() const;

 private:
  class Lane;
  bool refuse(const Entry& entry, const std::string& why);
  void stop(std::string why);

  const Endpoint endpoint_;
  const std::string table_;
  Rate& rate_;
  const Refused refused_;
  std::atomic<std::uint64_t> written_{0};
  std::atomic<bool> is_stopped_{false};
  mutable std::mutex mutex_;
  std::string failure_;  // guarded by mutex_
  std::vector<std::unique_ptr<Lane>> lanes_;
};

// Writes up to 25 entries with different keys, and repeats those that the endpoint leaves
// unprocessed. Returns empty if all are written.
std::optional<Failure> write_batch(DynamodbClient& client, std::string_view table,
                                   const std::vector<Entry>& batch);
inline constexpr std::size_t kBatchEntriesMax = 25;
// Of one batch; the service allows 16 MB.
inline constexpr std::size_t kBatchBytesMax = std::size_t{12} << 20;

}  // namespace stator::data

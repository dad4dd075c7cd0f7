// ItemWriter: puts many items into a table by several connections at once.
//
// Items of one key go through the same connection, in the order in which they came. Memory is
// bounded by a few batches a connection.
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

#include "server/data/dynamodb_client.h"
#include "server/data/rate.h"

namespace stator::data {

// An item to put, or a key to delete.
struct Entry {
  std::string key;   // what tells items apart, whatever the bytes
  std::string json;  // {"a":{"S":"x"}}
  bool is_delete = false;
  std::string origin;  // "items.csv line 7"
  std::string raw;     // as Record has it
};

class ItemWriter {
 public:
  // Called when the endpoint refuses one entry for its own sake; whether to go on. One call at a
  // time, from any thread.
  using Refused = std::function<bool(const Entry& entry, const std::string& why)>;

  // `rate` must outlive the writer. REQUIRES: the endpoint answered before.
  ItemWriter(const Endpoint& endpoint, std::string table, unsigned connections, Rate& rate,
             Refused refused);
  // Drops what was not written.
  ~ItemWriter();
  ItemWriter(const ItemWriter&) = delete;
  ItemWriter& operator=(const ItemWriter&) = delete;

  // Waits while the entry's connection has enough to do. False: it is over, see failure().
  bool add(Entry entry);
  // Waits until all is written. False as above.
  bool finish();

  std::uint64_t written() const { return written_; }
  // Why it stopped; empty when a refused entry or an interruption was the reason.
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

// Writes up to 25 entries of different keys, again and again what the endpoint leaves over.
// Empty when all is written.
std::optional<Failure> write_batch(DynamodbClient& client, std::string_view table,
                                   const std::vector<Entry>& batch);
inline constexpr std::size_t kBatchEntriesMax = 25;
// Of entries together; the service takes 16 MB.
inline constexpr std::size_t kBatchBytesMax = std::size_t{12} << 20;

}  // namespace stator::data

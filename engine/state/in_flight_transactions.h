// InFlightTransactions: transactions in flight, between their decision and their commit
// (Settings::transaction_time).
//
// Until it commits, any other write or transactional read of its items fails with a conflict.
// Nothing of it is stored, so it ends with the process. At its commit the transaction is decided
// again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/catalog/primary_key.h"
#include "engine/seams/clock.h"
#include "engine/storage/environment/commit_queue.h"
#include "engine/storage/stores/token_store.h"

namespace stator {

// A transaction in flight, for reports.
struct FlightInfo {
  struct Item {
    storage::SpaceId table{};
    std::string partition;  // the item's key
    std::string sort;
  };
  std::uint64_t number = 0;  // in the order of beginning, from 1
  Timestamp since;
  Timestamp due;
  std::vector<Item> items;
};

// Safe from any thread.
class InFlightTransactions {
 public:
  // Holds the items, and the request's token if any, for `job`, which decided on them, until end().
  // Releases what the job held before, because a job may run again. Returns false if no new
  // transaction may start.
  bool begin(storage::CommitJob& job, std::span<const LocatedKey> items,
             const std::optional<storage::StoredToken>& token, Timestamp since, Timestamp due);
  // Call after the batch of begin() is committed. From then on another thread may commit the job,
  // and it may be destroyed. Returns when it is due; empty if begin() was not called or no
  // transaction may continue.
  std::optional<Timestamp> go_on(const storage::CommitJob& job);
  void end(const storage::CommitJob& job);

  // Whether a job other than `own` holds the item. Reads one number while no transaction is in
  // flight.
  bool holds(const LocatedKey& item, const storage::CommitJob* own) const {
    return count_.load(std::memory_order_acquire) != 0 && find(item, own);
  }

  // The fingerprint of the request in flight with this token; empty if none except `own`.
  std::optional<std::string> find_token(const storage::TokenName& name,
                                        const storage::CommitJob* own) const;

  // Copies of the first `count_max`, in the order of beginning.
  std::vector<FlightInfo> list(std::size_t count_max) const;

  // Commit time of the earliest transaction in flight.
  std::optional<Timestamp> next_due() const;
  // Returns the due jobs, in the order of their times, for their commit; each once.
  std::vector<storage::CommitJob*> take_due(Timestamp now);
  // Returns all jobs, each once, and lets no new transaction start.
  std::vector<storage::CommitJob*> take_all();

 private:
  using Key = std::tuple<storage::SpaceId, std::string, std::string>;
  enum class Phase : std::uint8_t { Begun, InFlight, Committing };
  struct InFlightTransaction {
    storage::CommitJob* job;
    std::uint64_t number;
    Timestamp since;
    Timestamp due;
    Phase phase;
    std::vector<Key> items;
    std::string token;  // its whole name; empty if none
    std::string fingerprint;
  };

  bool find(const LocatedKey& item, const storage::CommitJob* own) const;
  std::vector<InFlightTransaction>::iterator flight_of(const storage::CommitJob& job);
  void let_go(std::vector<InFlightTransaction>::iterator flight);

  std::atomic<std::size_t> count_{0};
  mutable std::mutex mutex_;  // guards the members below
  bool is_closed_ = false;
  std::uint64_t last_number_ = 0;
  std::vector<InFlightTransaction> flights_;  // in the order of beginning, which is that of `due`
  std::map<Key, const storage::CommitJob*> held_;
};

}  // namespace stator

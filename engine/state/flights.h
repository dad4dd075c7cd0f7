// Flights: transactions between their decision and their commit (Settings::transaction_time).
//
// Meanwhile their items are held: whoever wants to write one, or to read it in a transaction, is
// told of a conflict. Nothing of a flight is stored, so what ends the process ends it. What is held
// is decided about once more when the flight lands, with the commit.
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

#include "engine/seams/clock.h"
#include "engine/state/primary_key.h"
#include "engine/storage/commit_queue.h"
#include "engine/storage/token_store.h"

namespace stator {

// Safe from any thread.
class Flights {
 public:
  // Holds the items, and the request's token if it has one, for `job`, which decided about them,
  // until end(). What it held before is let go: a job may be run again. False: no flight begins any
  // more.
  bool begin(storage::CommitJob& job, std::span<const LocatedKey> items,
             const std::optional<storage::KeptToken>& token, Timestamp due);
  // The batch of begin() is committed: the job lands when its time has come. From here on it may be
  // landed, and gone. Returns when it is due; empty: it was not begun, or no flight goes on.
  std::optional<Timestamp> go_on(const storage::CommitJob& job);
  void end(const storage::CommitJob& job);

  // Whether another job than `own` holds the item. Costs a read of a number while nothing is in
  // flight.
  bool holds(const LocatedKey& item, const storage::CommitJob* own) const {
    return count_.load(std::memory_order_acquire) != 0 && find(item, own);
  }

  // The fingerprint of the request in flight that has the token; empty: none but `own`.
  std::optional<std::string> find_token(const storage::TokenName& name,
                                        const storage::CommitJob* own) const;

  // When the first is due.
  std::optional<Timestamp> next_due() const;
  // Those that are due, in the order of their times, for landing: once each.
  std::vector<storage::CommitJob*> take_due(Timestamp now);
  // The same for all, and no more may begin.
  std::vector<storage::CommitJob*> take_all();

 private:
  using Key = std::tuple<storage::SpaceId, std::string, std::string>;
  enum class Phase : std::uint8_t { Begun, InFlight, Landing };
  struct Flight {
    storage::CommitJob* job;
    Timestamp due;
    Phase phase;
    std::vector<Key> items;
    std::string token;  // its whole name; empty: there is none
    std::string fingerprint;
  };

  bool find(const LocatedKey& item, const storage::CommitJob* own) const;
  std::vector<Flight>::iterator flight_of(const storage::CommitJob& job);
  void let_go(std::vector<Flight>::iterator flight);

  std::atomic<std::size_t> count_{0};
  mutable std::mutex mutex_;  // guards what follows
  bool is_closed_ = false;
  std::vector<Flight> flights_;  // in the order of beginning: there is one time for all
  std::map<Key, const storage::CommitJob*> held_;
};

}  // namespace stator

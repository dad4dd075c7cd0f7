// ThroughputPersister: persists the throughput state of tables and indexes. Requests take no part:
// a state reports when it needs attention (the end of a window, a split), and the maintainer stores
// it. The commit that stores a split schedules the upkeep of the table's stream.
//
// A split, a raise or a setting gets a commit of its own at the next maintenance. The balances of
// buckets follow a second after a request drew from them, until they are full again. So a kill
// loses at most the draws of the last second, and what the last window measured: consumption below
// the peak, and heat.
//
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/seams/clock.h"
#include "engine/state/leader_state.h"
#include "engine/storage/environment/commit_queue.h"
#include "engine/throughput/throughput_state.h"

namespace stator {

class ThroughputPersister final : public capacity::ThroughputWatcher {
 public:
  // Any thread may call `log_due`, unless it is empty, when a state is due before all others. All
  // arguments must outlive the object.
  ThroughputPersister(const std::function<void(Timestamp)>& log_due, OwnedLeaderState& leader)
      : tell_due_(log_due), leader_(leader) {}

  // The data is in memory: only splits matter, and only to streams. Call before there are
  // states.
  void store_nothing() { stores_ = false; }

  void look_at(const std::weak_ptr<capacity::ThroughputState>& state,
               Timestamp at) noexcept override;
  bool persists() const noexcept override { return stores_; }
  std::optional<Timestamp> next_due() const;
  // Begins a round with the states that are due at `now`; what becomes due later is not in it.
  void begin_round(Timestamp now);
  bool is_round_open() const;

  // Checks some of the states that are due, and persists them through the queue. Returns false if
  // they could not be stored; they are due again a second later.
  bool look_at_due(Timestamp now, storage::CommitQueue& queue);
  // For a clean shutdown: persists all that is pending, bytes of partitions and buckets too.
  // REQUIRES: nothing else is in the queue, nor will be.
  void keep_all(Timestamp now, storage::CommitQueue& queue);

 private:
  using StatePtr = std::shared_ptr<capacity::ThroughputState>;
  using Weak = std::weak_ptr<capacity::ThroughputState>;
  std::vector<StatePtr> take_due(Timestamp now);
  bool store(const std::vector<StatePtr>& states, Timestamp now, storage::CommitQueue& queue);

  const std::function<void(Timestamp)>& tell_due_;
  OwnedLeaderState& leader_;
  bool stores_ = true;
  mutable std::mutex mutex_;  // guards the members below
  std::multimap<Timestamp, Weak> due_;
  std::size_t in_round_ = 0;  // how many of the first are in the round
  std::map<Weak, Timestamp, std::owner_less<Weak>> known_;  // the reverse map
};

}  // namespace stator

// ThroughputKeeper: knows which tables' and indexes' throughput wants to be looked at, and keeps
// what became of it beside the data. Requests take no part in it: a state tells when its time
// brings something (a window's end, a split), and the maintainer comes. Splits of a table with a
// stream are passed on to the stream's upkeep, by the commit that stores them.
//
// A split, a raise or a setting is stored by a commit of its own as soon as somebody maintains;
// what buckets have, a second after units were drawn from them, until they are full again. What a
// kill may lose is therefore what was drawn in the last second, and what the last window knows:
// consumption that is no peak yet, and heat.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/capacity/throughput_state.h"
#include "engine/seams/clock.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/commit_queue.h"

namespace stator {

class ThroughputKeeper final : public capacity::ThroughputWatcher {
 public:
  // `tell_due`, where it is not empty, is called from any thread when a state wants to be looked at
  // sooner than all others. It must outlive this, as must the others.
  ThroughputKeeper(const std::function<void(Timestamp)>& tell_due, MutationApplier& batch)
      : tell_due_(tell_due), batch_(batch) {}

  // The data is in memory: nothing but splits is of interest, and to streams alone. Before there
  // are states.
  void store_nothing() { stores_ = false; }

  void look_at(const std::weak_ptr<capacity::ThroughputState>& state,
               Timestamp at) noexcept override;
  bool keeps() const noexcept override { return stores_; }
  std::optional<Timestamp> next_due() const;

  // Looks at some of the states that are due, and stores what is to be kept of them, through the
  // queue. False: it could not be stored, and is due again a second later.
  bool look_at_due(Timestamp now, storage::CommitQueue& queue);
  // For a clean end: stores what is left to be stored, bytes of partitions and buckets too.
  void keep_all(Timestamp now, storage::CommitQueue& queue);

 private:
  using StatePtr = std::shared_ptr<capacity::ThroughputState>;
  using Weak = std::weak_ptr<capacity::ThroughputState>;
  std::vector<StatePtr> take_due(Timestamp now);
  bool store(const std::vector<StatePtr>& states, Timestamp now, storage::CommitQueue& queue);

  const std::function<void(Timestamp)>& tell_due_;
  MutationApplier& batch_;
  bool stores_ = true;
  mutable std::mutex mutex_;  // guards what follows
  std::multimap<Timestamp, Weak> due_;
  std::map<Weak, Timestamp, std::owner_less<Weak>> known_;  // the same the other way round
};

}  // namespace stator

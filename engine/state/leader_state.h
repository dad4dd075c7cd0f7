// LeaderState: state of the commit queue's leader that lasts from one batch to the next, and the
// batch in progress.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/call/settings.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/consumers.h"
#include "engine/catalog/persisted_clock.h"
#include "engine/catalog/persisted_time.h"
#include "engine/seams/clock.h"
#include "engine/seams/random.h"
#include "engine/state/mutation.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/environment/leader_owned.h"
#include "engine/storage/environment/undo_log.h"

namespace stator {

// A rollback to a mark in the current batch.
struct Rollback {
  struct From {
    Timestamp time;
    double rate;
  };
  std::optional<From> from;  // where the clock was, if it was turned back
};

struct LeaderState {
  LeaderState(std::shared_ptr<const Catalog> tables, std::shared_ptr<const Consumers> consumers,
              const Settings& settings, Random& random)
      : batch(std::move(tables), std::move(consumers), settings), mutation(random) {}

  MutationApplier batch;
  Mutation mutation;
  PersistedClock kept_clock;
  PersistedTime kept_time;
  std::optional<Rollback> went_back;
  // By the batch; the reason is empty if the user asked for it.
  std::string marks_dropped_reason;
  std::vector<storage::Mark> marks_dropped;
};

using OwnedLeaderState = storage::LeaderOwned<LeaderState>;

}  // namespace stator

// LeaderState: state of the commit queue's leader that lasts from one batch to the next, and the
// batch in progress.
#pragma once

#include <chrono>
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

// Those of the settings that change while the engine runs (Engine::change_settings()).
struct ChangedSettings {
  explicit ChangedSettings(const Settings& settings)
      : gsi_delay(settings.gsi_delay),
        ttl_delay(settings.ttl_delay),
        ttl_sweep_interval(settings.ttl_sweep_interval),
        throttling(settings.throttling) {}

  void put_in_force(Settings& settings) const {
    settings.gsi_delay = gsi_delay;
    settings.ttl_delay = ttl_delay;
    settings.ttl_sweep_interval = ttl_sweep_interval;
    settings.throttling = throttling;
  }

  std::chrono::microseconds gsi_delay;
  std::chrono::microseconds ttl_delay;
  std::chrono::microseconds ttl_sweep_interval;
  Throttling throttling;
};

struct LeaderState {
  LeaderState(std::shared_ptr<const Catalog> tables, std::shared_ptr<const Consumers> consumers,
              const Settings& at_start, Random& random)
      : settings(at_start),
        batch(std::move(tables), std::move(consumers), settings),
        mutation(random) {}

  Settings settings;                               // in force now
  std::optional<ChangedSettings> settings_before;  // if the current batch has changed them
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

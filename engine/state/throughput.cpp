#include "engine/state/throughput.h"

#include <algorithm>
#include <memory>

#include "engine/capacity/parameters.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/throughput_store.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

using capacity::CapacitySettings;
using capacity::ThroughputState;
using capacity::ThroughputWatcher;

// The warm throughput, reached or scheduled, at the last change of the description.
Throughput described_warm(const Table& table, const GlobalIndex* index) {
  return index != nullptr ? highest(index->warm, index->warm_to.value_or(Throughput()))
                          : highest(table.warm, table.warm_to.value_or(Throughput()));
}

bool exceeds(const Throughput& one, const Throughput& other) {
  return one.read_units > other.read_units || one.write_units > other.write_units;
}

// The throughput requested by the user. Descriptions have at least the service's values for a new
// on-demand table, from which the model's parameters may differ.
Throughput asked_warm(const Throughput& warm, const CapacitySettings& settings) {
  if (settings.mode == BillingMode::Provisioned) return warm;
  const auto beyond = [](std::int64_t units, std::int64_t initial_units) {
    return units > initial_units ? units : 0;
  };
  return {beyond(warm.read_units, limits::kOnDemandReadUnitsPerSecondInitial),
          beyond(warm.write_units, limits::kOnDemandWriteUnitsPerSecondInitial)};
}

std::shared_ptr<ThroughputState> new_state(ThroughputState::Of of, const CapacitySettings& own,
                                           const Throughput& warm, const Settings& settings,
                                           Timestamp now, const ThroughputState* table) {
  return std::make_shared<ThroughputState>(of, own, settings.capacity, now, asked_warm(warm, own),
                                           table);
}

// `before` and `after` are a table or one of its indexes.
template <class Warmed>
void follow_raise(const Warmed& before, const Warmed& after, Timestamp now) {
  if (!after.warm_to ||
      (after.warm_to == before.warm_to && after.warm_updating_until == before.warm_updating_until))
    return;
  after.runtime->throughput->schedule_warm_throughput(*after.warm_to, now);
}

void watch(TableRuntime& runtime, storage::SpaceId space, ThroughputWatcher& watcher) {
  runtime.throughput->watch(watcher, static_cast<std::uint32_t>(space));
}

// The settings in force until changes already in the description take effect; empty if there are no
// such changes.
std::optional<CapacitySettings> settings_before(const Table& table, const GlobalIndex* index,
                                                Timestamp now) {
  CapacitySettings before = capacity_settings(table, index);
  const bool is_changing = table.settings_before && now < table.updating_until;
  if (is_changing) before.mode = table.settings_before->billing_mode;
  if (index == nullptr) {
    if (is_changing) before.provisioned = table.settings_before->throughput;
    return is_changing ? std::optional(before) : std::nullopt;
  }
  const bool index_changes = index->throughput_before && now < index->updating_until;
  if (index_changes) before.provisioned = *index->throughput_before;
  return is_changing || index_changes ? std::optional(before) : std::nullopt;
}

// Restores the states of a table and its indexes when the data is opened.
struct Loading {
  const Table& table;
  const storage::Transaction& transaction;
  const Settings& settings;
  std::optional<Timestamp> before;
  Timestamp now;

  Result<std::int64_t> size_bytes(storage::SpaceId space) const {
    STATOR_TRY(const SpaceStats stats, storage::find_stats(transaction, space));
    return stats.size_bytes;
  }

  Result<std::shared_ptr<ThroughputState>> state(
      const GlobalIndex* index, const std::optional<storage::StoredThroughput>& stored) const {
    const auto of = index == nullptr ? ThroughputState::Of::Table : ThroughputState::Of::Index;
    const ThroughputState* shared = index == nullptr ? nullptr : table.runtime->throughput.get();
    const Throughput warm = described_warm(table, index);
    const CapacitySettings described = capacity_settings(table, index);
    const auto earlier = settings_before(table, index, now);
    const CapacitySettings& own = earlier ? *earlier : described;
    const capacity::PersistedBalances full{now, {}};
    std::shared_ptr<ThroughputState> made;
    if (stored) {
      capacity::PersistedThroughput persisted = stored->state;
      persisted.as_of = before.value_or(now);
      if (!before) persisted.balances = full;
      made = std::make_shared<ThroughputState>(of, own, settings.capacity, now, persisted, shared);
      made->catch_up(persisted.mode, now);
      const Throughput asked = asked_warm(warm, described);
      const Throughput known = persisted.warming ? persisted.warming->to : persisted.warm;
      if (exceeds(asked, made->warm()) && exceeds(asked, known))
        made->schedule_warm_throughput(asked, now);
    } else {
      made = new_state(of, own, warm, settings, now, shared);
      before ? made->begin_after_pause(*before, now) : made->resume(full, now);
    }
    if (earlier) {
      const Timestamp until = index != nullptr && index->throughput_before ? index->updating_until
                                                                           : table.updating_until;
      made->configure(described, until, now);
    }
    STATOR_TRY(std::int64_t total_bytes, size_bytes(index == nullptr ? table.space : index->space));
    if (index == nullptr) {
      for (const LocalIndex& local : table.local_indexes) {
        STATOR_TRY(const std::int64_t entries_bytes, size_bytes(local.space));
        total_bytes += entries_bytes;
      }
    }
    made->set_size(total_bytes);
    return made;
  }

  // Restores the state of `index`, or of the table itself if nullptr. Returns its stored throttling
  // mode.
  Result<std::optional<Throttling>> load(const GlobalIndex* index) const {
    STATOR_TRY(const auto stored, storage::find_throughput(
                                      transaction, index == nullptr ? table.space : index->space));
    TableRuntime& runtime = index == nullptr ? *table.runtime : *index->runtime;
    STATOR_TRY(runtime.throughput, state(index, stored));
    return stored ? stored->throttling : std::nullopt;
  }
};

}  // namespace

CapacitySettings capacity_settings(const Table& table, const GlobalIndex* index) {
  CapacitySettings settings;
  settings.mode = table.settings.billing_mode;
  settings.provisioned = index != nullptr ? index->throughput : table.settings.throughput;
  settings.maximum = index != nullptr ? index->on_demand : table.on_demand;
  settings.has_stream = table.has_enabled_stream();
  settings.has_local_index = index == nullptr && !table.local_indexes.empty();
  return settings;
}

void begin_throughput(const Table& table, const Settings& settings, Timestamp now,
                      ThroughputWatcher* watcher) {
  TableRuntime& own = *table.runtime;
  const auto begin = [&](TableRuntime& runtime, ThroughputState::Of of, const GlobalIndex* index) {
    if (runtime.throughput != nullptr) return;
    const Throughput warm = described_warm(table, index);
    runtime.throughput = new_state(of, capacity_settings(table, index), warm, settings, now,
                                   index != nullptr ? own.throughput.get() : nullptr);
    if (index == nullptr) own.throttling.store(settings.throttling, std::memory_order_relaxed);
    if (watcher != nullptr) watch(runtime, index != nullptr ? index->space : table.space, *watcher);
  };
  begin(own, ThroughputState::Of::Table, nullptr);
  for (const GlobalIndex& index : table.global_indexes)
    begin(*index.runtime, ThroughputState::Of::Index, &index);
}

Result<void> load_throughput(const Table& table, const storage::Transaction& transaction,
                             const Settings& settings, std::optional<Timestamp> before,
                             Timestamp now, ThroughputWatcher* watcher) {
  const Loading loading{table, transaction, settings, before, now};
  STATOR_TRY(const auto throttling, loading.load(nullptr));
  table.runtime->throttling.store(throttling.value_or(settings.throttling));
  table.runtime->is_throttling_set.store(throttling.has_value());
  if (watcher != nullptr) watch(*table.runtime, table.space, *watcher);
  for (const GlobalIndex& index : table.global_indexes) {
    STATOR_CHECK(loading.load(&index).map([](const auto& /*throttling*/) {}));
    if (watcher != nullptr) watch(*index.runtime, index.space, *watcher);
  }
  return {};
}

SpaceThroughput find_throughput(const Catalog& catalog, storage::SpaceId space) {
  const Table* table = catalog.find(space);
  if (table == nullptr) return {};
  if (table->space == space) return {table->runtime->throughput, table};
  const GlobalIndex* index = table->find_global_index(space);
  return index == nullptr ? SpaceThroughput() : SpaceThroughput{index->runtime->throughput, table};
}

void follow_description(const Table& before, const Table& after, Timestamp now) {
  if (after.runtime->throughput == nullptr) return;
  const Timestamp since = after.settings_before ? after.updating_until : now;
  after.runtime->throughput->configure(capacity_settings(after, nullptr), since, now);
  follow_raise(before, after, now);
  for (const GlobalIndex& index : after.global_indexes) {
    const GlobalIndex* known = before.find_global_index(index.space);
    if (known == nullptr) continue;
    const Timestamp index_since = index.throughput_before ? index.updating_until : since;
    index.runtime->throughput->configure(capacity_settings(after, &index), index_since, now);
    follow_raise(*known, index, now);
  }
}

}  // namespace stator

#include "engine/maintenance/throughput_persister.h"

#include <chrono>
#include <iterator>
#include <utility>

#include "engine/schema/runtime.h"
#include "engine/state/throughput.h"
#include "engine/storage/environment/blocking_job.h"
#include "engine/storage/stores/throughput_store.h"

namespace stator {
namespace {

// How many states are checked, and stored, at a time.
constexpr std::size_t kStatesMax = 100;
// How long a state waits after it could not be stored.
constexpr std::chrono::seconds kRetryWrite{1};

}  // namespace

void ThroughputPersister::look_at(const Weak& state, Timestamp at) noexcept {
  bool is_next = false;
  {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = known_.try_emplace(state, at);
    if (!is_new) {
      if (known->second <= at) return;
      const auto [first, last] = due_.equal_range(known->second);
      for (auto other = first; other != last; ++other) {
        if (state.owner_before(other->second) || other->second.owner_before(state)) continue;
        due_.erase(other);
        break;
      }
      known->second = at;
    }
    const auto entered = due_.emplace(at, state);
    is_next = entered == due_.begin();
  }
  if (is_next && tell_due_) tell_due_(at);
}

std::optional<Timestamp> ThroughputPersister::next_due() const {
  const std::lock_guard lock(mutex_);
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

void ThroughputPersister::begin_round(Timestamp now) {
  const std::lock_guard lock(mutex_);
  const auto end = due_.upper_bound(now);
  in_round_ = static_cast<std::size_t>(std::distance(due_.begin(), end));
}

bool ThroughputPersister::is_round_open() const {
  const std::lock_guard lock(mutex_);
  return in_round_ > 0;
}

// Skips the states of dropped tables.
std::vector<ThroughputPersister::StatePtr> ThroughputPersister::take_due(Timestamp now) {
  std::vector<StatePtr> states;
  const std::lock_guard lock(mutex_);
  while (!due_.empty() && due_.begin()->first <= now && states.size() < kStatesMax) {
    if (StatePtr state = due_.begin()->second.lock()) states.push_back(std::move(state));
    known_.erase(due_.begin()->second);
    due_.erase(due_.begin());
    if (in_round_ > 0) --in_round_;
  }
  if (states.size() < kStatesMax) in_round_ = 0;  // another thread postponed some
  return states;
}

bool ThroughputPersister::look_at_due(Timestamp now, storage::CommitQueue& queue) {
  std::vector<StatePtr> states = take_due(now);
  std::erase_if(states, [&](const StatePtr& state) {
    if (!state->look(now)) return true;
    if (stores_) return false;
    // The next check finds a later split.
    const capacity::PersistedThroughput persisted = state->persistent_form(now);
    if (state->divides_stream()) return false;
    state->was_persisted(persisted);
    return true;
  });
  if (states.empty() || store(states, now, queue)) return true;
  for (const StatePtr& state : states) look_at(state, now.plus(kRetryWrite));
  return false;
}

void ThroughputPersister::keep_all(Timestamp now, storage::CommitQueue& queue) {
  std::vector<StatePtr> states;
  const auto enter = [&](const TableRuntime& runtime) {
    const StatePtr& state = runtime.throughput;
    if (state == nullptr) return;
    // A single partition has the bytes of the whole.
    const bool has_new_bytes =
        state->partitions().has_new_bytes() && state->partitions().count() > 1;
    if (state->look(now) || has_new_bytes || state->has_new_debits(now)) states.push_back(state);
  };
  {
    const storage::Leading behind_all_calls;
    leader_->batch.catalog()->for_each([&](const Table& table) {
      enter(*table.runtime);
      for (const GlobalIndex& index : table.global_indexes) enter(*index.runtime);
    });
  }
  for (std::size_t done = 0; done < states.size(); done += kStatesMax) {
    const std::size_t end = std::min(states.size(), done + kStatesMax);
    const std::vector<StatePtr> some(states.begin() + static_cast<std::ptrdiff_t>(done),
                                     states.begin() + static_cast<std::ptrdiff_t>(end));
    if (!store(some, now, queue)) return;
  }
}

// A table may have been deleted meanwhile.
bool ThroughputPersister::store(const std::vector<StatePtr>& states, Timestamp now,
                                storage::CommitQueue& queue) {
  std::vector<std::pair<StatePtr, capacity::PersistedThroughput>> stored;
  const auto put_all = [&](storage::WriteTransaction& transaction) -> Result<void> {
    MutationApplier& batch = leader_->batch;
    stored.clear();
    for (const StatePtr& state : states) {
      const storage::SpaceId space{state->id()};
      const SpaceThroughput found = find_throughput(*batch.catalog(), space);
      if (found.state != state) continue;
      storage::StoredThroughput record;
      const TableRuntime& table = *found.table->runtime;
      if (!state->is_index() && table.is_throttling_set)
        record.throttling = table.throttling.load();
      record.state = state->persistent_form(now);
      if (stores_) STATOR_CHECK(storage::put_throughput(transaction, space, record));
      if (state->divides_stream()) batch.enter_stream(space, now);
      stored.emplace_back(state, std::move(record.state));
    }
    return {};
  };
  // A record replaces the earlier one and is small: a full store must not stop time.
  storage::BlockingJob job(put_all, /*only_frees_space=*/true);
  if (!job.run_in(queue)) return false;
  for (const auto& [state, persisted] : stored) state->was_persisted(persisted);
  return true;
}

}  // namespace stator

#include "engine/throughput_keeper.h"

#include <chrono>
#include <utility>

#include "engine/schema/runtime.h"
#include "engine/state/throughput.h"
#include "engine/storage/throughput_store.h"
#include "engine/storage/waited_job.h"

namespace stator {
namespace {

// What is looked at, and stored, at a time.
constexpr std::size_t kStatesMax = 100;
// How long what could not be stored waits.
constexpr std::chrono::seconds kRetry{1};

}  // namespace

void ThroughputKeeper::look_at(const Weak& state, Timestamp at) noexcept {
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

std::optional<Timestamp> ThroughputKeeper::next_due() const {
  const std::lock_guard lock(mutex_);
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

// Those of dropped tables are forgotten.
std::vector<ThroughputKeeper::StatePtr> ThroughputKeeper::take_due(Timestamp now) {
  std::vector<StatePtr> states;
  const std::lock_guard lock(mutex_);
  while (!due_.empty() && due_.begin()->first <= now && states.size() < kStatesMax) {
    if (StatePtr state = due_.begin()->second.lock()) states.push_back(std::move(state));
    known_.erase(due_.begin()->second);
    due_.erase(due_.begin());
  }
  return states;
}

bool ThroughputKeeper::look_at_due(Timestamp now, storage::CommitQueue& queue) {
  std::vector<StatePtr> states = take_due(now);
  std::erase_if(states, [&](const StatePtr& state) {
    if (!state->look(now)) return true;
    if (stores_) return false;
    const capacity::KeptThroughput kept = state->kept(now);  // a later split is seen the next time
    if (state->divides_stream()) return false;
    state->was_kept(kept);
    return true;
  });
  if (states.empty() || store(states, now, queue)) return true;
  for (const StatePtr& state : states) look_at(state, now.plus(kRetry));
  return false;
}

void ThroughputKeeper::keep_all(Timestamp now, storage::CommitQueue& queue) {
  std::vector<StatePtr> states;
  const auto enter = [&](const Runtime& runtime) {
    const StatePtr& state = runtime.throughput;
    if (state == nullptr) return;
    // The bytes of a single partition are those of the whole.
    const bool has_new_bytes = state->has_new_bytes() && state->partition_count() > 1;
    if (state->look(now) || has_new_bytes || state->has_new_debits(now)) states.push_back(state);
  };
  batch_.catalog()->for_each([&](const Table& table) {
    enter(*table.runtime);
    for (const GlobalIndex& index : table.global_indexes) enter(*index.runtime);
  });
  for (std::size_t done = 0; done < states.size(); done += kStatesMax) {
    const std::size_t end = std::min(states.size(), done + kStatesMax);
    const std::vector<StatePtr> some(states.begin() + static_cast<std::ptrdiff_t>(done),
                                     states.begin() + static_cast<std::ptrdiff_t>(end));
    if (!store(some, now, queue)) return;
  }
}

// A table may have gone meanwhile.
bool ThroughputKeeper::store(const std::vector<StatePtr>& states, Timestamp now,
                             storage::CommitQueue& queue) {
  std::vector<std::pair<StatePtr, capacity::KeptThroughput>> stored;
  const auto put_all = [&](storage::WriteTransaction& transaction) -> Result<void> {
    stored.clear();
    for (const StatePtr& state : states) {
      const storage::SpaceId space{state->id()};
      const SpaceThroughput found = find_throughput(*batch_.catalog(), space);
      if (found.state != state) continue;
      storage::StoredThroughput kept;
      const Runtime& table = *found.table->runtime;
      if (!state->is_index() && table.is_throttling_set) kept.throttling = table.throttling.load();
      kept.kept = state->kept(now);
      if (stores_) STATOR_CHECK(storage::put_throughput(transaction, space, kept));
      if (state->divides_stream()) batch_.enter_stream(space, now);
      stored.emplace_back(state, std::move(kept.kept));
    }
    return {};
  };
  // What is put takes the place of what was, and is small: a full store must not stop time.
  storage::WaitedJob job(put_all, /*only_shrinks=*/true);
  if (!job.run_in(queue)) return false;
  for (const auto& [state, kept] : stored) state->was_kept(kept);
  return true;
}

}  // namespace stator

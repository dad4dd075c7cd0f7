// Delays of the engine: what a start or a change of settings makes of the state that others left.
#include <utility>

#include "engine/api/engine.h"
#include "engine/api/engine_impl.h"
#include "engine/storage/stores/stream_store.h"

namespace stator {

using storage::BlockingJob;

// Whether the data of an earlier program version has streams that are not open yet, or no secret.
Result<bool> Engine::Impl::has_other_delays(const storage::Transaction& transaction) const {
  const MutationApplier& batch = leader->batch;
  const bool has_other_followers = leader->settings.gsi_delay.count() > 0 ||
                                   batch.has_unopened_streams() ||
                                   batch.consumers().any_late_index();
  if (has_other_followers) return true;
  bool has_tables = false;
  batch.catalog()->for_each([&](const Table& /*table*/) { has_tables = true; });
  if (!has_tables) return false;
  STATOR_TRY(const auto secret, storage::stream_secret(transaction));
  return !secret;
}

// Opens streams that are only described. With a delay, active indexes follow late from now on.
// Without one, indexes must equal their tables, so this does at once what a process with a delay
// left. Each job checks the state itself, because others may change it in between.
bool Engine::set_delays() {
  bool is_late = false;
  const auto begin = [&](storage::WriteTransaction& transaction) {
    LeaderState& own = *impl_->leader;
    is_late = own.settings.gsi_delay.count() > 0;
    return own.batch.begin_following(impl_->clock.now(), own.mutation.random(), transaction);
  };
  // Small records: a full store must open.
  if (!BlockingJob(begin, /*only_frees_space=*/true).run_in(impl_->queue)) return false;
  if (is_late) return true;
  bool is_frugal = false;  // once an ordinary piece finds no room
  for (bool had_one = true; had_one;) {
    const auto end_one = [&](storage::WriteTransaction& transaction) -> Result<void> {
      STATOR_TRY(had_one, impl_->maintenance.end_late_index(transaction, is_frugal));
      return {};
    };
    if (BlockingJob(end_one, /*only_frees_space=*/is_frugal).run_in(impl_->queue)) continue;
    if (std::exchange(is_frugal, true)) return false;
    had_one = true;
  }
  return true;
}

Engine::SettingsChange Engine::change_settings(const Settings& settings) {
  const ChangedSettings wanted(settings);
  bool sweeps_anew = false;
  BlockingJob put_in_force(
      [&](storage::WriteTransaction&) -> Result<void> {
        LeaderState& own = *impl_->leader;
        if (!own.settings_before) own.settings_before.emplace(own.settings);
        sweeps_anew = own.settings_before->ttl_delay != wanted.ttl_delay ||
                      own.settings_before->ttl_sweep_interval != wanted.ttl_sweep_interval;
        wanted.put_in_force(own.settings);
        return {};
      },
      /*only_frees_space=*/true);
  if (!put_in_force.run_in(impl_->queue)) return SettingsChange::NotStored;
  const auto follow = [&](ChorePiece& piece) -> Result<void> {
    piece.catalog().for_each([&](const Table& table) {
      TableRuntime& runtime = *table.runtime;
      if (sweeps_anew) runtime.next_expiry_sweep = {};
      if (piece.batch.counts_throughput() && !runtime.is_throttling_set)
        runtime.throttling = wanted.throttling;
    });
    return impl_->maintenance.delays_changed(piece);
  };
  const bool is_rescheduled = commit_piece(follow);
  const bool has_followed = set_delays() && is_rescheduled;
  if (impl_->log_due) impl_->log_due(Timestamp::min());
  return has_followed ? SettingsChange::Done : SettingsChange::NotFollowed;
}

}  // namespace stator

// Persistence: which changes of a throughput state are not persisted yet, and when the watcher is
// to look at the state. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/seams/clock.h"
#include "engine/throughput/throughput_values.h"
#include "engine/throughput/throughput_watcher.h"
#include "engine/throughput/timeline.h"

namespace stator::capacity {

// Delay between drawing units and persisting the balances; a kill may lose this much.
inline constexpr std::chrono::seconds kBalancesPersistedAfter{1};

class Persistence {
 public:
  // From now on calls `watcher`, which must outlive this, about `state`.
  void watch(ThroughputWatcher& watcher, std::uint32_t id, std::weak_ptr<ThroughputState> state);
  std::uint32_t id() const { return id_; }

  // Whether the watcher is going to call. If not, the next charge must trigger it. True also if
  // nothing is persisted.
  bool is_awaited() const {
    return !is_persistent() || (is_awaited_ && balances_due_ < Timestamp::max());
  }
  // Persisted data changed: asks the watcher to call at once. Without persistence, it matters only
  // if it `affects_stream`.
  void set_changed(bool affects_stream);
  // Asks the watcher to call when the next relevant change is due.
  void ask_for_look(const Timeline& timeline, bool affects_stream);

  // A charge came: the watcher is to call at the end of the window, and for the balances.
  void begin_awaiting(Timestamp now);
  // Schedules the balances if a new state has some to persist.
  void await_balances(Timestamp since) { balances_due_ = since.plus(kBalancesPersistedAfter); }
  // A window without demand ended: the watcher need not call at the end of the next.
  void end_awaiting() { is_awaited_ = false; }
  // Whether the balances are due, which this ends.
  bool take_balances_due(Timestamp now);

  // Whether the balances should be persisted; was_persisted() ends it.
  bool wants_balances() const { return wants_balances_; }
  void want_balances() { wants_balances_ = true; }
  bool has_changes() const { return wants_balances_ || version_ != persisted_version_; }
  std::uint64_t version() const { return version_; }

  // Units drawn at the time the balances were persisted; empty if never.
  std::optional<std::int64_t> drawn_milli() const { return drawn_milli_; }
  void set_drawn(std::int64_t units_milli) { drawn_milli_ = units_milli; }
  void was_persisted(const PersistedThroughput& persisted);

 private:
  bool is_persistent() const { return watcher_ != nullptr && watcher_->persists(); }
  bool is_watched(bool affects_stream) const {
    return watcher_ != nullptr && (watcher_->persists() || affects_stream);
  }

  ThroughputWatcher* watcher_ = nullptr;
  std::uint32_t id_ = 0;
  std::weak_ptr<ThroughputState> state_;
  std::uint64_t version_ = 0;  // of the persisted data
  std::uint64_t persisted_version_ = 0;
  bool is_awaited_ = false;  // the watcher calls at the end of the window
  // When the watcher calls for the balances; max(): not scheduled, the next charge does that.
  Timestamp balances_due_ = Timestamp::max();
  bool wants_balances_ = false;  // it called and the balances are not persisted yet
  std::optional<std::int64_t> drawn_milli_;
};

}  // namespace stator::capacity

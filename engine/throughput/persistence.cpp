#include "engine/throughput/persistence.h"

#include <algorithm>
#include <utility>

namespace stator::capacity {

void Persistence::watch(ThroughputWatcher& watcher, std::uint32_t id,
                        std::weak_ptr<ThroughputState> state) {
  watcher_ = &watcher;
  id_ = id;
  state_ = std::move(state);
}

void Persistence::set_changed(bool affects_stream) {
  ++version_;
  if (is_watched(affects_stream)) watcher_->look_at(state_, Timestamp::min());
}

void Persistence::ask_for_look(const Timeline& timeline, bool affects_stream) {
  if (!is_watched(affects_stream)) return;
  const Timestamp window = is_awaited_ ? timeline.window_end() : Timestamp::max();
  const Timestamp next = std::min({window, timeline.next_change(), balances_due_});
  if (next < Timestamp::max()) watcher_->look_at(state_, next);
}

void Persistence::begin_awaiting(Timestamp now) {
  is_awaited_ = is_persistent();
  if (is_awaited_ && balances_due_ == Timestamp::max()) await_balances(now);
}

bool Persistence::take_balances_due(Timestamp now) {
  const bool is_due = now >= balances_due_;
  if (is_due) balances_due_ = Timestamp::max();
  return is_due;
}

void Persistence::was_persisted(const PersistedThroughput& persisted) {
  persisted_version_ = persisted.version;
  drawn_milli_ = persisted.drawn_milli;
  wants_balances_ = false;
}

}  // namespace stator::capacity

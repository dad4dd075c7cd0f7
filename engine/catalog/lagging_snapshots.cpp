#include "engine/catalog/lagging_snapshots.h"

#include <algorithm>
#include <iterator>

namespace stator {
namespace {

// Number of states retained per lag. The maximum is about twice as many: at most two for each step,
// one that begins with it and one that follows a pause.
constexpr int kStepsPerLag = 15;

}  // namespace

LaggingSnapshots::Snapshots::iterator LaggingSnapshots::find_kept(Timestamp now,
                                                                  std::chrono::microseconds age) {
  if (latest_since_.plus(age) <= now) return kept_.end();
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const RetainedSnapshot& kept) {
    return kept.since.plus(age) <= now;
  });
  return found == kept_.rend() ? kept_.end() : std::prev(found.base());
}

void LaggingSnapshots::retain_for(std::chrono::microseconds age, Timestamp now) {
  const std::lock_guard lock(mutex_);
  const std::chrono::microseconds lag = std::max(own_lag_, age);
  if (lag > lag_) {
    const auto oldest = lag_.count() == 0 ? kept_.end() : find_kept(now, lag_);
    kept_.erase(kept_.begin(), oldest);
    (kept_.empty() ? latest_since_ : kept_.front().since) = Timestamp::min();
  }
  if (lag.count() == 0) kept_.clear();
  lag_ = lag;
  is_on_ = lag.count() > 0;
}

// Where a short lag became a long one.
void LaggingSnapshots::drop_every_second() {
  for (std::size_t i = 1; i < kept_.size(); ++i)
    kept_.erase(kept_.begin() + static_cast<Snapshots::difference_type>(i));
}

void LaggingSnapshots::about_to_commit(Timestamp now) {
  const std::lock_guard lock(mutex_);
  if (lag_.count() == 0) return;
  // The clock was set back: retained states would be neither old enough nor dropped for that long.
  // The current state counts as begun now.
  if (now < latest_since_) {
    kept_.clear();
    latest_since_ = now;
  }
  // Of the states that are old enough, only the newest is useful.
  while (kept_.size() > 1 && kept_[1].since.plus(lag_) <= now) kept_.pop_front();
  if (!kept_.empty() && latest_since_.plus(lag_) <= now) kept_.clear();
  const bool is_due = kept_.empty() || kept_.back().since.plus(lag_ / kStepsPerLag) <= now;
  if (is_due) {
    if (kept_.size() >= kKeptMax) drop_every_second();
    auto snapshot = std::make_shared<SharedSnapshot>(environment_);
    // If this fails, reads get a younger state, which is allowed.
    if (snapshot->transaction.acquire()) kept_.push_back({latest_since_, std::move(snapshot)});
  }
  latest_since_ = now;
}

void LaggingSnapshots::restart() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
  latest_since_ = Timestamp::min();
}

Result<std::shared_ptr<SharedSnapshot>> LaggingSnapshots::find(Timestamp now,
                                                               std::chrono::microseconds age,
                                                               storage::ReadTransaction& latest) {
  const std::lock_guard lock(mutex_);
  if (const auto kept = find_kept(now, age); kept != kept_.end()) return kept->snapshot;
  // Under the lock, so that no commit comes between the check and this.
  STATOR_CHECK(latest.acquire());
  return std::shared_ptr<SharedSnapshot>();
}

std::size_t LaggingSnapshots::kept_count() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

}  // namespace stator

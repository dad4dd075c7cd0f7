#include "engine/catalog/lagging_snapshots.h"

namespace stator {
namespace {

// Number of states retained per lag. The maximum is about twice as many: at most two for each step,
// one that begins with it and one that follows a pause.
constexpr int kStepsPerLag = 15;

}  // namespace

void LaggingSnapshots::about_to_commit(Timestamp now) {
  const std::lock_guard lock(mutex_);
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
  if (is_due && kept_.size() < kKeptMax) {
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
                                                               storage::ReadTransaction& latest) {
  const std::lock_guard lock(mutex_);
  if (latest_since_.plus(lag_) > now) {
    for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
      if (kept->since.plus(lag_) <= now) return kept->snapshot;
    }
  }
  // Under the lock, so that no commit comes between the check and this.
  STATOR_CHECK(latest.acquire());
  return std::shared_ptr<SharedSnapshot>();
}

std::size_t LaggingSnapshots::kept_count() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

}  // namespace stator

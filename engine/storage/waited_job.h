// WaitedJob: work in the commit queue that somebody waits for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

#include "engine/storage/commit_queue.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

class WaitedJob final : public CommitJob {
 public:
  using Work = std::function<Result<void>(WriteTransaction&)>;

  explicit WaitedJob(Work work, bool only_shrinks = false)
      : work_(std::move(work)), only_shrinks_(only_shrinks) {}

  // Returns whether it was committed.
  bool run_in(CommitQueue& queue) {
    if (queue.push(*this)) {
      while (queue.lead()) {
      }
    }
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return is_done_; });
    return committed_;
  }

  Result<void> run(WriteTransaction& transaction) override { return work_(transaction); }

  bool only_shrinks() const noexcept override { return only_shrinks_; }

  void done(bool committed) noexcept override {
    const std::lock_guard lock(mutex_);
    committed_ = committed;
    is_done_ = true;
    done_.notify_one();
  }

 private:
  const Work work_;
  const bool only_shrinks_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool committed_ = false;
  bool is_done_ = false;
};

}  // namespace stator::storage

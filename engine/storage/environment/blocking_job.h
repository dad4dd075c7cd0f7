// BlockingJob: work in the commit queue whose caller blocks until it is done.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

#include "engine/storage/environment/commit_queue.h"
#include "protocol/errors/result.h"

namespace stator::storage {

class BlockingJob final : public CommitJob {
 public:
  using Work = std::function<Result<void>(WriteTransaction&)>;

  // `is_long`: CommitJob::is_long(), so that no thread that serves connections runs the work.
  explicit BlockingJob(Work work, bool only_frees_space = false, bool is_long = false)
      : work_(std::move(work)), only_shrinks_(only_frees_space), is_long_(is_long) {}

  // Returns whether the job was committed.
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

  bool only_frees_space() const noexcept override { return only_shrinks_; }

  bool is_long() const noexcept override { return is_long_; }

  void done(bool committed) noexcept override {
    const std::lock_guard lock(mutex_);
    committed_ = committed;
    is_done_ = true;
    done_.notify_one();
  }

 private:
  const Work work_;
  const bool only_shrinks_;
  const bool is_long_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool committed_ = false;
  bool is_done_ = false;
};

}  // namespace stator::storage

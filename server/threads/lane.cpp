// See lane.h.

#include "server/threads/lane.h"

#include "server/dispatch/dispatcher.h"

namespace stator {

Lane::Lane(unsigned threads, const MakeDispatcher& make) {
  for (unsigned i = 0; i < threads; ++i) dispatchers_.push_back(make());
  threads_.reserve(threads);
}

Lane::~Lane() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Lane::push(LaneJob& job) {
  const std::scoped_lock lock(mutex_);
  job.next_ = nullptr;
  *end_ = &job;
  end_ = &job.next_;
  ++queued_;
  // A thread that an earlier job woke counts as idle until it runs.
  if (idle_ < queued_ && threads_.size() < dispatchers_.size()) {
    Dispatcher& dispatcher = *dispatchers_[threads_.size()];
    threads_.emplace_back([this, &dispatcher] { serve(dispatcher); });
  }
  wake_.notify_one();
}

LaneJob* Lane::take() {
  std::unique_lock lock(mutex_);
  ++idle_;
  wake_.wait(lock, [this] { return first_ != nullptr || is_stopping_; });
  --idle_;
  LaneJob* const job = first_;
  if (job == nullptr) return nullptr;
  first_ = job->next_;
  --queued_;
  if (first_ == nullptr) end_ = &first_;
  return job;
}

void Lane::serve(Dispatcher& dispatcher) {
  while (LaneJob* const job = take()) job->run(dispatcher);
}

}  // namespace stator

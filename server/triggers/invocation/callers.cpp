#include "server/triggers/invocation/callers.h"

#include <exception>
#include <string>

#include "server/log/log.h"

namespace stator::triggers {

Callers::~Callers() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
    jobs_.clear();
  }
  caller_.interrupt();
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Callers::start(std::uint64_t id, AnyCall call) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back({id, std::move(call)});
    if (idle_ < jobs_.size() && threads_.size() < kCallersMax) {
      try {
        threads_.emplace_back([this] { run(); });
      } catch (const std::exception& error) {
        log::error(std::string("no thread for calls of functions: ") + error.what());
      }
    }
  }
  changed_.notify_one();
}

void Callers::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return is_stopping_ || !jobs_.empty(); });
    --idle_;
    if (is_stopping_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    WebAnswer answer = caller_.make(job.call);
    take_answer_(job.id, std::move(answer));
    lock.lock();
  }
}

}  // namespace stator::triggers

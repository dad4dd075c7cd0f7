// LeaderOwned: data of the commit queue's leader. The leader changes from batch to batch; only the
// thread that leads now may use the data. All others push a job to the queue, or read published
// copies.
#pragma once

#include <cassert>
#include <utility>

namespace stator::storage {

// Whether this thread leads a commit queue: it runs a job, the observer or a job's done().
bool is_leading() noexcept;

// While it exists, its thread is the leader. For the queue, and for code that opens or closes what
// batches use. REQUIRES: no other thread leads that queue meanwhile, and this thread leads no
// queue, so jobs cannot run from here.
class Leading {
 public:
  Leading() noexcept;
  ~Leading();
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;
};

template <class T>
class LeaderOwned {
 public:
  template <class... Arguments>
  explicit LeaderOwned(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}
  LeaderOwned(const LeaderOwned&) = delete;
  LeaderOwned& operator=(const LeaderOwned&) = delete;

  // REQUIRES: is_leading(); otherwise the process ends here, in every build.
  T& operator*() {
    assert(is_leading());
    return value_;
  }
  const T& operator*() const {
    assert(is_leading());
    return value_;
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

 private:
  T value_;
};

}  // namespace stator::storage

// Published: a value that one thread replaces as a whole while others read it. Each reading thread
// has a copy of the pointer and compares a version number to see whether the copy is current. So
// while nothing is published, reading takes no lock and counts no references.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace stator {

template <class T>
class Published {
 public:
  using Pointer = std::shared_ptr<const T>;

  // REQUIRES: not null.
  explicit Published(Pointer first) : current_(std::move(first)) {}

  // Replaces the value. One thread at a time.
  void store(Pointer next) {
    const std::lock_guard lock(mutex_);
    current_.swap(next);
    version_.fetch_add(1);
  }

  // A thread's copy. The result of latest() lives until the next call. The Published must outlive
  // the reader.
  class Reader {
   public:
    explicit Reader(const Published& published) : published_(published) {}

    // The current value, or a later one.
    const T& latest() {
      if (copy_ == nullptr || !holds()) {
        Pointer before;  // freed after the lock, if this copy is the last
        const std::lock_guard lock(published_.mutex_);
        before = std::exchange(copy_, published_.current_);
        version_ = published_.version_.load();
      }
      return *copy_;
    }

    // Whether no value was published since latest().
    bool holds() const { return version_ == published_.version_.load(); }

   private:
    const Published& published_;
    Pointer copy_;
    std::uint64_t version_ = 0;
  };

 private:
  mutable std::mutex mutex_;
  Pointer current_;                         // guarded by mutex_
  std::atomic<std::uint64_t> version_ = 0;  // changed with mutex_ held
};

}  // namespace stator

// MemoryBudget: a limit for the memory of all requests together, and the share that each request
// holds.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

namespace stator {

// Thrown if no memory is left for a request. Derives from bad_alloc, so that code which handles
// bad_alloc handles it too; code that can report the limit to a client catches it separately.
class MemoryExhausted final : public std::bad_alloc {
 public:
  const char* what() const noexcept override { return "no memory is left for this request"; }
};

// Safe to use from any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Returns false and takes nothing if fewer bytes are left. The last eighth is reserved for small
  // requests, so large ones cannot block all others.
  bool take(std::size_t bytes) {
    const std::size_t most = bytes > kSmallBytesMax ? bytes_max_ - bytes_max_ / 8 : bytes_max_;
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (bytes <= most && before <= most - bytes) return true;
    give_back(bytes);
    return false;
  }
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::size_t used_bytes() const { return used_.load(std::memory_order_relaxed); }
  std::size_t bytes_max() const { return bytes_max_; }

 private:
  static constexpr std::size_t kSmallBytesMax = 64 * 1024;

  const std::size_t bytes_max_;
  std::atomic<std::size_t> used_{0};
};

// One request's share. Counts nothing until draw_from() is called.
class MemoryAccount {
 public:
  MemoryAccount() = default;
  ~MemoryAccount() { release(); }
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  // REQUIRES: no bytes held. `budget` must outlive the account.
  void draw_from(MemoryBudget& budget) { budget_ = &budget; }

  // Throws MemoryExhausted.
  void take(std::size_t bytes) {
    if (!try_take(bytes)) {
      was_refused_ = true;
      throw MemoryExhausted();
    }
  }
  bool try_take(std::size_t bytes) {
    if (budget_ == nullptr) return true;
    if (!budget_->take(bytes)) return false;
    held_bytes_ += bytes;
    return true;
  }
  void release() {
    if (held_bytes_ != 0) budget_->give_back(held_bytes_);
    held_bytes_ = 0;
    was_refused_ = false;
  }

  void forget_refusal() { was_refused_ = false; }

  std::size_t held_bytes() const { return held_bytes_; }
  // Whether take() has thrown since the last release() or forget_refusal().
  bool was_refused() const { return was_refused_; }

 private:
  MemoryBudget* budget_ = nullptr;
  std::size_t held_bytes_ = 0;
  bool was_refused_ = false;
};

}  // namespace stator

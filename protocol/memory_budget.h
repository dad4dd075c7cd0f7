// MemoryBudget: how much memory everything that requests hold may take together, and what each of
// them holds of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

namespace stator {

// There is no memory left for a request. A kind of bad_alloc, because it comes from the same places
// and means the same; whoever can tell a client so treats it apart.
class MemoryExhausted final : public std::bad_alloc {
 public:
  const char* what() const noexcept override { return "no memory is left for this request"; }
};

// Safe from any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // False: so much is not left, nothing is taken. The last eighth is for what is small, so that
  // large requests leave the others alive.
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

// One request's share. Without a budget nothing is counted.
class MemoryAccount {
 public:
  MemoryAccount() = default;
  ~MemoryAccount() { release(); }
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  // REQUIRES: nothing is held. `budget` must outlive the account.
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
  // Whether take() has thrown since, or since forget_refusal().
  bool was_refused() const { return was_refused_; }

 private:
  MemoryBudget* budget_ = nullptr;
  std::size_t held_bytes_ = 0;
  bool was_refused_ = false;
};

}  // namespace stator

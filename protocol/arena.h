// Arena: bump allocator for one request. Everything parsed from a request lives here and dies with
// it, so values can be plain views and nothing is freed one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/memory_block.h"
#include "protocol/memory_budget.h"

namespace stator {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // From now on all memory but the first, small chunk is taken from `account`, which must outlive
  // the arena; whoever reset()s the arena releases the account.
  void charge_to(MemoryAccount& account) { account_ = &account; }

  // Uninitialised memory, aligned; valid until reset() or destruction. Throws std::bad_alloc.
  void* allocate(std::size_t size_bytes, std::size_t alignment) {
    auto address = reinterpret_cast<std::uintptr_t>(next_);
    const std::uintptr_t aligned = (address + alignment - 1) & ~(alignment - 1);
    if (next_ == nullptr || aligned + size_bytes > reinterpret_cast<std::uintptr_t>(end_)) {
      return allocate_slow(size_bytes, alignment);
    }
    next_ = reinterpret_cast<std::byte*>(aligned + size_bytes);
    return reinterpret_cast<void*>(aligned);
  }

  template <class T>
  std::span<T> allocate_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(allocate(count * sizeof(T), alignof(T))), count};
  }

  // An object whose destructor is never run: only trivially destructible types.
  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  std::span<T> copy(std::span<const T> source) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto target = allocate_array<T>(source.size());
    if (!source.empty()) std::memcpy(target.data(), source.data(), source.size_bytes());
    return target;
  }

  std::string_view copy(std::string_view text) {
    auto target = copy(std::span<const char>{text.data(), text.size()});
    return {target.data(), target.size()};
  }

  // Keeps `block`, in which something lies that the arena is to hold.
  void adopt(MemoryBlock block) {
    if (account_ != nullptr) account_->take(block.size_bytes());
    adopted_.push_back(std::move(block));
  }

  // Memory held, used or not.
  std::size_t capacity_bytes() const {
    std::size_t total_bytes = 0;
    for (const MemoryBlock& chunk : chunks_) total_bytes += chunk.size_bytes();
    for (const MemoryBlock& block : adopted_) total_bytes += block.size_bytes();
    return total_bytes;
  }

  // Forgets everything. Keeps one small chunk, so an idle connection holds little memory.
  void reset() {
    adopted_.clear();
    if (chunks_.empty()) return;
    chunks_.resize(1);
    chunks_bytes_ = 0;
    next_ = chunks_.front().data();
    end_ = next_ + chunks_.front().size_bytes();
  }

 private:
  static constexpr std::size_t kFirstChunkBytes = 8 * 1024;
  static constexpr std::size_t kChunkBytesMax = 1024 * 1024;
  // When chunks take so much together, each takes as much from then on: a mapping of huge pages.
  static constexpr std::size_t kMuchBytes = 8 * kChunkBytesMax;

  // Out of the way, so that allocate() is small enough to be inlined.
  void* allocate_slow(std::size_t size_bytes, std::size_t alignment);
  void add_chunk(std::size_t size_bytes);

  std::vector<MemoryBlock> chunks_;
  std::vector<MemoryBlock> adopted_;
  std::size_t chunks_bytes_ = 0;  // since the last reset
  MemoryAccount* account_ = nullptr;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace stator

// Arena: bump allocator for one request. All that is parsed from a request lives here until reset()
// or destruction, so values are plain views and no object is freed alone.
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

#include "protocol/memory/memory_block.h"
#include "protocol/memory/memory_budget.h"

namespace stator {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // From now on all memory except the first, small chunk is charged to `account`, which must
  // outlive the arena. The caller of reset() also releases the account.
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

  // Makes an object whose destructor never runs: trivially destructible types only.
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

  // Takes ownership of `block` until reset() or destruction.
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

  // Frees all objects. Retains one small chunk, so that an idle connection holds little memory.
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
  // Once chunks take this much together, each new one is this large, to get huge pages.
  static constexpr std::size_t kMuchBytes = 8 * kChunkBytesMax;

  // Separate, so that allocate() is small enough to inline.
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

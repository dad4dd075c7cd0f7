// MemoryBlock: memory that grows without a copy where the system allows it. Large blocks use huge
// pages, which avoids a page fault for every 4 KB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace stator {

// Asks for huge pages. REQUIRES: the memory was just allocated and not yet written. Page faults
// took a third of the time of parsing a body of 16 MB. Only advice: if the system ignores it,
// nothing changes.
inline void ask_for_huge_pages(const void* memory, std::size_t size_bytes) {
  // A block of this size is its own mapping (server/main.cpp).
  constexpr std::size_t kHugePagesFrom = std::size_t{4} * 1024 * 1024;
  constexpr std::uintptr_t kPageBytes = 4096;
  if (size_bytes < kHugePagesFrom) return;
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = start & ~(kPageBytes - 1);
  const std::uintptr_t end = (start + size_bytes + kPageBytes - 1) & ~(kPageBytes - 1);
  static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

class MemoryBlock {
 public:
  MemoryBlock() = default;
  // Uninitialised, aligned for any type. Throws std::bad_alloc, as resize() does.
  explicit MemoryBlock(std::size_t size_bytes) { resize(size_bytes); }

  std::byte* data() const { return memory_.get(); }
  std::size_t size_bytes() const { return size_bytes_; }

  // Retains the bytes that fit. A large block is moved by remapping pages, without a copy.
  void resize(std::size_t size_bytes) {
    void* const moved = std::realloc(memory_.get(), size_bytes);
    if (moved == nullptr) throw std::bad_alloc();
    static_cast<void>(memory_.release());
    memory_.reset(static_cast<std::byte*>(moved));
    if (size_bytes > size_bytes_) ask_for_huge_pages(memory_.get(), size_bytes);
    size_bytes_ = size_bytes;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t size_bytes_ = 0;
};

}  // namespace stator

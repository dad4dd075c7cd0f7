// FixedList: a list in an arena, with a fixed capacity.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "protocol/memory/arena.h"

namespace stator {

template <class T>
class FixedList {
 public:
  FixedList(std::size_t size_max, Arena& arena) : room_(arena.allocate_array<T>(size_max)) {
    static_assert(std::is_trivially_copyable_v<T>);
  }

  // REQUIRES: the list is not full.
  void push_back(const T& element) {
    assert(size_ < room_.size());
    std::construct_at(&room_[size_++], element);
  }

  // Valid as long as the arena.
  std::span<const T> elements() const { return room_.first(size_); }

 private:
  std::span<T> room_;
  std::size_t size_ = 0;
};

}  // namespace stator

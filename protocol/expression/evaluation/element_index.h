// Remembers results about large lists, sets and maps while one condition is evaluated. A condition
// with many terms then reads each collection a few times instead of once per term.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/values/value.h"

namespace stator::expr {

// The elements of a list, indexed by their hashes.
class ElementIndex {
 public:
  // `elements` must outlive the index.
  explicit ElementIndex(std::span<const Value> elements);

  bool contains(const Value& wanted) const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t position = 0;  // from 1; 0 if free
  };
  void enter(std::uint32_t position);

  std::span<const Value> elements_;
  std::vector<Slot> slots_;  // size is a power of two, at least half of them free
  bool is_complete_ = true;  // false if too many hashes are equal
};

class KnownCollections {
 public:
  // Same result as a == b. Values must outlive this object.
  bool are_equal(const Value& a, const Value& b);
  // Whether the list contains an equal element.
  bool contains(const Value& list, const Value& wanted);

 private:
  // Below this size, computing the result again is as fast as remembering it.
  static constexpr std::size_t kSizeMin = 256;
  // The first few of each kind are not worth remembering.
  static constexpr int kForgotten = 4;

  struct Comparison {
    const void* a;
    const void* b;
    bool are_equal;
  };
  struct SearchedList {
    const void* list;
    ElementIndex index;
  };

  int comparisons_made_ = 0;
  int searches_made_ = 0;
  std::vector<Comparison> comparisons_;
  std::vector<SearchedList> lists_;
};

}  // namespace stator::expr

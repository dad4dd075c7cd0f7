// What was found out about large lists, sets and maps while one condition is evaluated, so that a
// condition of many terms looks at each of them a few times and not once for each term.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/value.h"

namespace stator::expr {

// The elements of a list by their hashes.
class ElementIndex {
 public:
  // `elements` outlive the index.
  explicit ElementIndex(std::span<const Value> elements);

  bool contains(const Value& wanted) const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t position = 0;  // counted from one; 0: free
  };
  void enter(std::uint32_t position);

  std::span<const Value> elements_;
  std::vector<Slot> slots_;  // a power of two, half of it free at least
  bool is_complete_ = true;  // false: too many equal hashes
};

class KnownCollections {
 public:
  // As a == b. Values must outlive this.
  bool are_equal(const Value& a, const Value& b);
  // Whether a list has such an element.
  bool contains(const Value& list, const Value& wanted);

 private:
  // Below that, finding out again is as good as remembering.
  static constexpr std::size_t kSizeMin = 256;
  // The first few of each are not worth remembering either.
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

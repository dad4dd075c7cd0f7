// The elements of a list as they are stored, for conditions that ask of many values whether one is
// among them. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stator::storage {

// An element is wanted as bytes: a value has one encoding (record_layout.h). The first search walks
// the list; then its elements are found by their hashes.
class EncodedList {
 public:
  // What stands behind the list's length: its count and elements. It outlives this.
  explicit EncodedList(std::string_view list) : list_(list) {}

  // Throws DamagedData where the list is none.
  bool contains(std::string_view wanted);

 private:
  static constexpr std::size_t kProbesMax = 64;

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t end = 0;  // of the element, counted from the list's begin; 0: free
    std::uint32_t size_bytes = 0;
  };

  // Of each element but those like the one before, until it says so; whether it did.
  template <class IsLast>
  bool any_of(IsLast is_last) const;
  bool walk(std::string_view wanted) const;
  void enter_all();
  // Whether there was a slot.
  bool enter(std::string_view element);
  bool enter(const Slot& element);
  bool double_slots();
  std::string_view element_of(const Slot& slot) const {
    return list_.substr(slot.end - slot.size_bytes, slot.size_bytes);
  }
  std::uint32_t hash_of(std::string_view bytes) const;

  std::string_view list_;
  bool was_walked_ = false;
  std::vector<Slot> slots_;   // a power of two, half of it free at least
  std::size_t used_ = 0;      // of the slots
  bool is_complete_ = false;  // all elements have a slot
};

}  // namespace stator::storage

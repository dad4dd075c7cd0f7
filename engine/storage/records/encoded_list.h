// The stored elements of a list, for conditions that test many values for membership. Internal to
// this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stator::storage {

// Compares elements as bytes: each value has one encoding (record_layout.h). The first search walks
// the list; later ones look up a hash table of its elements.
class EncodedList {
 public:
  // `list` starts after the list's length, with its count and elements. It must outlive this
  // object.
  explicit EncodedList(std::string_view list) : list_(list) {}

  // Throws DamagedData if the bytes are no list.
  bool contains(std::string_view wanted);

 private:
  static constexpr std::size_t kProbesMax = 64;

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t end = 0;  // end of the element, as offset in the list; 0 if free
    std::uint32_t size_bytes = 0;
  };

  // Calls `is_last` for each element, except repetitions of the one before, until it returns true;
  // returns whether it did.
  template <class IsLast>
  bool any_of(IsLast is_last) const;
  bool walk(std::string_view wanted) const;
  void enter_all();
  // Returns whether a slot was found.
  bool enter(std::string_view element);
  bool enter(const Slot& element);
  bool double_slots();
  std::string_view element_of(const Slot& slot) const {
    return list_.substr(slot.end - slot.size_bytes, slot.size_bytes);
  }
  std::uint32_t hash_of(std::string_view bytes) const;

  std::string_view list_;
  bool was_walked_ = false;
  std::vector<Slot> slots_;   // size is a power of two, at least half of them free
  std::size_t used_ = 0;      // of the slots
  bool is_complete_ = false;  // whether all elements have a slot
};

}  // namespace stator::storage

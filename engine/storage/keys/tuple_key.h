// Tuples inside keys of index entries (engine/storage/FORMAT.md): elements that compare one by one,
// in the order of their original bytes.
//
//   element := the ordered bytes with 00 FF for each 00 | 00 01
#pragma once

#include <string>
#include <string_view>

#include "protocol/memory/arena.h"

namespace stator {

// Appends one tuple element.
void append_tuple_element(std::string& out, std::string_view ordered_bytes);
// Appends the start of an element: the common bytes of all elements that begin with `prefix`.
void append_tuple_prefix(std::string& out, std::string_view prefix);
// Appends the position of a primary key in scan order (storage::partition_hash()): 3 bytes.
void append_tuple_hash(std::string& out, std::string_view primary_key);

struct TupleElement {
  std::string_view ordered_bytes;
  bool is_whole = false;  // false: the tuple was cut within the element
};
// Removes the first element from `tuple`, of which the end may be cut off.
TupleElement take_tuple_element(std::string_view& tuple, Arena& arena);

}  // namespace stator

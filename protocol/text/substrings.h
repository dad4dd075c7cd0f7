// Finds which of many byte strings occur in a text, for a condition that searches the same text
// often.
#pragma once

#include <span>
#include <string_view>

namespace stator {

struct SearchPattern {
  std::string_view bytes;
  bool is_found = false;
};

// Sets `is_found` of each. A long text is scanned a few times for all of them together; any that
// this leaves undecided are searched with contains_bytes().
void find_bytes(std::string_view text, std::span<SearchPattern> wanted);

}  // namespace stator

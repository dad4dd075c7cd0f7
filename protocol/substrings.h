// Which of many strings of bytes occur in a text: for a condition that searches the same text
// often.
#pragma once

#include <span>
#include <string_view>

namespace stator {

struct WantedBytes {
  std::string_view bytes;
  bool is_found = false;
};

// Sets `is_found` of each. A text that is long is gone through a few times for all of them together
// where that decides, and as contains_bytes() does for those that it does not.
void find_bytes(std::string_view text, std::span<WantedBytes> wanted);

}  // namespace stator

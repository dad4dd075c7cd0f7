#include "protocol/access/language/names.h"

#include <algorithm>
#include <cstddef>

#include "protocol/text/ascii_case.h"

namespace stator::access {

std::string folded(std::string_view text) {
  std::string lower = lower_case(text);
  for (std::size_t i = 0; i + 1 < lower.size(); ++i) {
    if (lower[i] != '\xC3') continue;
    // U+00C0 to U+00DE are the capitals of U+00E0 to U+00FE, but for the sign at D7.
    const char second = lower[i + 1];
    const auto code = static_cast<unsigned char>(second);
    if (code >= 0x80 && code <= 0x9E && code != 0x97)
      lower[i + 1] = static_cast<char>(second + 0x20);
  }
  return lower;
}

bool is_same_key(std::string_view a, std::string_view b) {
  // Most names are written as everybody writes them.
  return a.size() == b.size() &&
         (a == b || std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char one, char other) {
            return to_lower(one) == to_lower(other);
          }));
}

}  // namespace stator::access

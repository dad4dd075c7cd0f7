// PageCycle: detects that an endpoint's pages repeat.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace stator::data {

class PageCycle {
 public:
  // Whether a page started at `place` before. Detects a cycle after at most three times the number
  // of all pages (R. P. Brent's algorithm, which remembers one place).
  bool returns_to(const std::string& place) {
    if (place == remembered_) return true;
    if (++pages_ == pages_to_next_) {
      remembered_ = place;
      pages_ = 0;
      pages_to_next_ *= 2;
    }
    return false;
  }

 private:
  std::string remembered_;
  std::uint64_t pages_ = 0;
  std::uint64_t pages_to_next_ = 1;
};

inline constexpr const char* kEndlessPages =
    "the endpoint's pages have no end: its pages lead back to where they were";

}  // namespace stator::data

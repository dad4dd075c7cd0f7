// What is searched for in large texts while one condition is evaluated: with the first search in
// one of them everything that the condition looks for there is looked for.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "protocol/substring.h"
#include "protocol/substrings.h"

namespace stator::expr {

class SearchedTexts {
 public:
  // Whether the text holds what is wanted. `collect()` tells what else will be wanted of it, or may
  // be; it is asked once for each text. All bytes outlive this.
  template <class Collect>
  bool contains(std::string_view text, std::string_view wanted, const Collect& collect) {
    if (text.size() < kTextBytesMin) return contains_bytes(text, wanted);
    const Text* known = find(text);
    if (known == nullptr) known = &search(text, collect());
    return known->contains(wanted);
  }

 private:
  // Below either, a search is as good alone.
  static constexpr std::size_t kTextBytesMin = 16 * 1024;
  static constexpr std::size_t kSearchesMin = 6;

  struct Text {
    std::string_view bytes;
    std::vector<WantedBytes> wanted;  // sorted by where they lie; the others are searched alone
    bool contains(std::string_view one) const;
  };
  const Text* find(std::string_view text) const;
  const Text& search(std::string_view text, std::vector<std::string_view> wanted);

  std::vector<Text> texts_;
};

}  // namespace stator::expr

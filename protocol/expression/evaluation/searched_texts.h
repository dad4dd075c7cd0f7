// Searches of large texts during the evaluation of one condition. The first search in a text finds
// all strings that the condition looks for in it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "protocol/text/substring.h"
#include "protocol/text/substrings.h"

namespace stator::expr {

class SearchedTexts {
 public:
  // Whether the text contains `wanted`. `collect()` returns all strings that the condition looks
  // for, or may look for, in this text; called once per text. All bytes must outlive this object.
  template <class Collect>
  bool contains(std::string_view text, std::string_view wanted, const Collect& collect) {
    if (text.size() < kTextBytesMin) return contains_bytes(text, wanted);
    const Text* known = find(text);
    if (known == nullptr) known = &search(text, collect());
    return known->contains(wanted);
  }

 private:
  // Below either limit, separate searches are as fast.
  static constexpr std::size_t kTextBytesMin = 16 * 1024;
  static constexpr std::size_t kSearchesMin = 6;

  struct Text {
    std::string_view bytes;
    std::vector<SearchPattern> wanted;  // sorted by address; any other string is searched alone
    bool contains(std::string_view one) const;
  };
  const Text* find(std::string_view text) const;
  const Text& search(std::string_view text, std::vector<std::string_view> wanted);

  std::vector<Text> texts_;
};

}  // namespace stator::expr

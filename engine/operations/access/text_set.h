// TextSet: texts in the order in which they first came, each once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace stator {

class TextSet {
 public:
  void add(std::string_view text) {
    if (is_new(text)) texts_.emplace_back(text);
  }
  bool empty() const { return texts_.empty(); }
  const std::vector<std::string>& texts() const { return texts_; }
  // Leaves nothing to be used.
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  // Most requests have few texts, which are found faster one by one.
  static constexpr std::size_t kFewTexts = 16;

  bool is_new(std::string_view text) {
    if (texts_.size() < kFewTexts)
      return std::find(texts_.begin(), texts_.end(), text) == texts_.end();
    if (seen_.empty()) seen_.insert(texts_.begin(), texts_.end());
    return seen_.emplace(text).second;
  }

  std::vector<std::string> texts_;
  std::unordered_set<std::string> seen_;  // from kFewTexts on
};

}  // namespace stator

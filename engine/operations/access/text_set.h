// TextSet: texts in the order in which they first came, each once.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace stator {

class TextSet {
 public:
  void add(std::string_view text) {
    if (seen_.emplace(text).second) texts_.emplace_back(text);
  }
  bool empty() const { return texts_.empty(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_set<std::string> seen_;
};

}  // namespace stator

#include "protocol/expression/evaluation/searched_texts.h"

#include <algorithm>
#include <functional>

#include "protocol/text/substring.h"

namespace stator::expr {
namespace {

// Whether both are the same bytes at the same address.
bool is_same(std::string_view a, std::string_view b) {
  return a.data() == b.data() && a.size() == b.size();
}

bool lies_before(std::string_view a, std::string_view b) {
  if (a.data() == b.data()) return a.size() < b.size();
  return std::less<>{}(a.data(), b.data());
}

}  // namespace

const SearchedTexts::Text* SearchedTexts::find(std::string_view text) const {
  const auto known = std::find_if(texts_.begin(), texts_.end(),
                                  [&](const Text& each) { return is_same(each.bytes, text); });
  return known != texts_.end() ? &*known : nullptr;
}

const SearchedTexts::Text& SearchedTexts::search(std::string_view text,
                                                 std::vector<std::string_view> wanted) {
  Text& searched = texts_.emplace_back(Text{text, {}});
  if (wanted.size() < kSearchesMin) return searched;
  std::sort(wanted.begin(), wanted.end(), lies_before);
  wanted.erase(std::unique(wanted.begin(), wanted.end(), is_same), wanted.end());
  for (const std::string_view bytes : wanted) searched.wanted.push_back({bytes});
  find_bytes(text, searched.wanted);
  return searched;
}

bool SearchedTexts::Text::contains(std::string_view one) const {
  const auto known = std::lower_bound(wanted.begin(), wanted.end(), one,
                                      [](const SearchPattern& each, std::string_view sought) {
                                        return lies_before(each.bytes, sought);
                                      });
  if (known == wanted.end() || !is_same(known->bytes, one)) return contains_bytes(bytes, one);
  return known->is_found;
}

}  // namespace stator::expr

// Few elements are left to std::sort. Many are sorted by eight bytes at a time, as numbers, by
// radix; those that share eight bytes are then sorted by the next eight.
#include "protocol/byte_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace stator {
namespace {

constexpr std::size_t kManyElements = 2048;
constexpr std::size_t kWordBytes = 8;
constexpr std::size_t kDigitBits = 8;
constexpr std::size_t kDigits = 64 / kDigitBits;
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;

struct Keyed {
  std::uint64_t word;
  std::uint32_t index;
};

// The eight bytes from `at` on, as a number in their order; zeros behind the end.
Keyed keyed(std::string_view text, std::size_t at, std::uint32_t index) {
  const std::string_view rest = at < text.size() ? text.substr(at) : std::string_view();
  std::uint64_t word = 0;
  if (!rest.empty()) std::memcpy(&word, rest.data(), std::min(rest.size(), kWordBytes));
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  return {word, index};
}

// Keeps the order of equal words.
void sort_words(std::vector<Keyed>& elements) {
  std::vector<std::array<std::uint32_t, kDigitValues>> counts(kDigits);
  for (const Keyed& each : elements) {
    for (std::size_t d = 0; d < kDigits; ++d)
      ++counts[d][each.word >> (d * kDigitBits) & (kDigitValues - 1)];
  }
  std::vector<Keyed> sorted(elements.size());
  for (std::size_t d = 0; d < kDigits; ++d) {
    auto& places = counts[d];
    const auto digit = [&](const Keyed& each) {
      return each.word >> (d * kDigitBits) & (kDigitValues - 1);
    };
    if (places[digit(elements.front())] == elements.size()) continue;
    std::uint32_t place = 0;
    for (std::uint32_t& count : places) place += std::exchange(count, place);
    for (const Keyed& each : elements) sorted[places[digit(each)]++] = each;
    elements.swap(sorted);
  }
}

// The order of `texts`, whose bytes before `at` are the same; stable.
template <class TextOf>
class Sorter {
 public:
  explicit Sorter(const TextOf& text_of) : text_of_(text_of) {}

  void sort(std::span<std::uint32_t> order, std::size_t at) {
    if (order.size() < kManyElements) {
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return text_of_(a).substr(at) < text_of_(b).substr(at);
      });
      return;
    }
    std::vector<Keyed> elements;
    elements.reserve(order.size());
    for (const std::uint32_t index : order) elements.push_back(keyed(text_of_(index), at, index));
    sort_words(elements);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = elements[i].index;
    for (std::size_t first = 0; first < order.size();) {
      std::size_t end = first + 1;
      while (end < order.size() && elements[end].word == elements[first].word) ++end;
      if (end - first > 1) sort_equal(order.subspan(first, end - first), at);
      first = end;
    }
  }

 private:
  // Of texts with one word, those that end in it come first, the shorter before the longer.
  void sort_equal(std::span<std::uint32_t> order, std::size_t at) {
    const auto ended = [&](std::uint32_t index) {
      return text_of_(index).size() <= at + kWordBytes;
    };
    const auto longer = std::stable_partition(order.begin(), order.end(), ended);
    std::array<std::uint32_t, kWordBytes + 2> counts{};
    const auto length = [&](std::uint32_t index) {
      return std::max(text_of_(index).size(), at) - at;
    };
    const auto count = static_cast<std::size_t>(longer - order.begin());
    for (const std::uint32_t index : order.first(count)) ++counts[length(index) + 1];
    for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
    const std::vector<std::uint32_t> unsorted(order.begin(), longer);
    for (const std::uint32_t index : unsorted) order[counts[length(index)]++] = index;
    if (count < order.size()) sort(order.subspan(count), at + kWordBytes);
  }

  const TextOf& text_of_;
};

template <class TextAt>
std::vector<std::uint32_t> order_of(std::size_t count, const TextAt& text_at) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  Sorter(text_at).sort(order, 0);
  return order;
}

template <class T, class TextOf>
void sort_many(std::span<T> elements, const TextOf& text_of) {
  const std::vector<T> unsorted(elements.begin(), elements.end());
  const auto order =
      order_of(unsorted.size(), [&](std::uint32_t index) { return text_of(unsorted[index]); });
  for (std::size_t i = 0; i < order.size(); ++i) elements[i] = unsorted[order[i]];
}

}  // namespace

void sort_by_bytes(std::span<std::string_view> elements) {
  if (elements.size() < kManyElements) return std::sort(elements.begin(), elements.end());
  if (std::is_sorted(elements.begin(), elements.end())) return;
  sort_many(elements, [](std::string_view text) { return text; });
}

void sort_by_name(std::span<Member> members) {
  if (members.size() >= kManyElements)
    return sort_many(members, [](const Member& member) { return member.name; });
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return a.name < b.name; });
}

std::vector<std::uint32_t> order_by_bytes(std::span<const std::string_view> texts) {
  return order_of(texts.size(), [&](std::uint32_t index) { return texts[index]; });
}

std::size_t first_repeated(std::span<const std::string_view> texts) {
  // One that repeats early is found without looking at all.
  for (std::size_t count = kManyElements;; count *= 8) {
    count = std::min(count, texts.size());
    std::size_t first = count;
    const auto order = order_by_bytes(texts.first(count));
    for (std::size_t i = 1; i < count; ++i) {
      if (texts[order[i - 1]] == texts[order[i]]) first = std::min<std::size_t>(first, order[i]);
    }
    if (first < count || count == texts.size()) return first;
  }
}

}  // namespace stator

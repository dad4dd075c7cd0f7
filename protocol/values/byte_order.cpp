// A few members are sorted by insertion in place, a few other elements by std::sort. Many are
// sorted by radix, eight bytes at a time, as numbers; elements that share eight bytes are then
// sorted by the next eight. Only the bits that differ between some of the numbers are sorted by:
// for digits and letters that is at most half of them.
#include "protocol/values/byte_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/memory/memory_block.h"

namespace stator {
namespace {

constexpr std::size_t kManyElements = 2048;
// Insertion is quadratic; at this size it takes at most seven or eight steps per member.
constexpr std::size_t kFewMembers = 16;
constexpr std::size_t kWordBytes = 8;

template <class Word>
struct Keyed {
  Word word;
  std::uint32_t index;
};

// Uninitialised memory for short use. Large ones use huge pages, which avoids a page fault for
// every 4 KB.
template <class T>
class Room {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit Room(std::size_t count) : block_(count * sizeof(T)), count_(count) {}

  T& operator[](std::size_t i) { return begin()[i]; }
  T* begin() { return reinterpret_cast<T*>(block_.data()); }
  T* end() { return begin() + count_; }
  std::size_t size() const { return count_; }
  void forget() {
    block_ = MemoryBlock();
    count_ = 0;
  }

 private:
  MemoryBlock block_;
  std::size_t count_;
};

std::uint64_t big_endian(std::uint64_t value) {
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

// The first eight bytes as a number that sorts like them; zeros after the end.
std::uint64_t word_of(std::string_view text) {
  if (text.size() >= kWordBytes) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), kWordBytes);
    return big_endian(word);
  }
  // Two loads of one size, which may overlap.
  const auto piece = [&]<class Piece>(Piece bytes, std::size_t at) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if constexpr (std::endian::native == std::endian::little && sizeof bytes == 4)
      bytes = __builtin_bswap32(bytes);
    return std::uint64_t{bytes} << 8 * (kWordBytes - sizeof bytes - at);
  };
  const std::size_t size = text.size();
  if (size >= 4) return piece(std::uint32_t{}, 0) | piece(std::uint32_t{}, size - 4);
  if (size == 0) return 0;
  constexpr std::uint8_t kByte = 0;
  return piece(kByte, 0) | piece(kByte, size / 2) | piece(kByte, size - 1);
}

// Gathers the bits of a number that a mask selects, in their order (Hacker's Delight, 7-4). Bits
// move by one, two, four … positions; in each round those move whose distance has that bit set.
class BitCompressor {
 public:
  explicit BitCompressor(std::uint64_t mask) : mask_(mask) {
    std::uint64_t left_out = ~mask << 1;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      const unsigned places = 1u << i;
      std::uint64_t is_odd = left_out;  // parity of the number of bits left out below each
      for (unsigned shift = 1; shift < 64; shift *= 2) is_odd ^= is_odd << shift;
      moved_[i] = is_odd & mask;
      mask = (mask ^ moved_[i]) | (moved_[i] >> places);
      left_out &= ~is_odd;
    }
  }

  std::uint64_t operator()(std::uint64_t word) const {
    word &= mask_;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      const std::uint64_t moved = word & moved_[i];
      word = (word ^ moved) | (moved >> (1u << i));
    }
    return word;
  }

 private:
  std::uint64_t mask_;
  std::array<std::uint64_t, 6> moved_;
};

// Stable radix sort by the lowest `bits`. REQUIRES: bits > 0.
template <class Word>
void sort_words(Room<Keyed<Word>>& elements, unsigned bits) {
  // Larger digits need fewer rounds but larger count tables, which pay off only with many elements.
  constexpr std::size_t kElementsOfLargeDigits = 32 * 1024;
  const unsigned digit_bits_max = elements.size() < kElementsOfLargeDigits ? 8 : 11;
  const unsigned digits = (bits + digit_bits_max - 1) / digit_bits_max;
  const unsigned digit_bits = (bits + digits - 1) / digits;
  const std::size_t values = std::size_t{1} << digit_bits;
  std::vector<std::uint32_t> counts(digits * values);
  for (const Keyed<Word>& each : elements) {
    for (unsigned d = 0; d < digits; ++d)
      ++counts[d * values + (each.word >> (d * digit_bits) & (values - 1))];
  }
  Room<Keyed<Word>> sorted(elements.size());
  for (unsigned d = 0; d < digits; ++d) {
    const std::span<std::uint32_t> places(counts.data() + d * values, values);
    std::uint32_t place = 0;
    for (std::uint32_t& count : places) place += std::exchange(count, place);
    for (const Keyed<Word>& each : elements)
      sorted[places[each.word >> (d * digit_bits) & (values - 1)]++] = each;
    std::swap(elements, sorted);
  }
}

// Sorts the indexes of texts whose bytes before `at` are equal; stable.
template <class TextOf>
class Sorter {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit Sorter(const TextOf& text_of) : text_of_(text_of) {}

  // The lowest index of a text that equals an earlier one.
  std::uint32_t first_repeated() const { return first_repeated_; }

  void sort(std::span<std::uint32_t> order, std::size_t at) {
    if (order.size() < kManyElements) return sort_few(order, at);
    Room<Keyed<std::uint64_t>> elements(order.size());
    const std::uint64_t first_word = word_of(rest_of(order.front(), at));
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      elements[i] = {word_of(rest_of(order[i], at)), order[i]};
      differing |= elements[i].word ^ first_word;
    }
    if (differing == 0) {
      elements.forget();
      return sort_equal(order, at);
    }
    const auto bits = static_cast<unsigned>(std::popcount(differing));
    const BitCompressor compressed(differing);
    if (bits > 32) {
      for (auto& each : elements) each.word = compressed(each.word);
      return sort(order, at, elements, bits);
    }
    Room<Keyed<std::uint32_t>> narrow(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i)
      narrow[i] = {static_cast<std::uint32_t>(compressed(elements[i].word)), elements[i].index};
    elements.forget();
    sort(order, at, narrow, bits);
  }

 private:
  template <class Word>
  void sort(std::span<std::uint32_t> order, std::size_t at, Room<Keyed<Word>>& elements,
            unsigned bits) {
    sort_words(elements, bits);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = elements[i].index;
    for (std::size_t first = 0; first < order.size();) {
      std::size_t end = first + 1;
      while (end < order.size() && elements[end].word == elements[first].word) ++end;
      if (end - first > 1) sort_equal(order.subspan(first, end - first), at);
      first = end;
    }
  }

  void sort_few(std::span<std::uint32_t> order, std::size_t at) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rest_of(a, at) < rest_of(b, at);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (rest_of(order[i - 1], at) == rest_of(order[i], at)) note_repeated(order[i]);
    }
  }

  // Sorts texts whose current words are equal: texts that end in this word come first, the shorter
  // before the longer.
  void sort_equal(std::span<std::uint32_t> order, std::size_t at) {
    const auto length = [&](std::uint32_t index) { return rest_of(index, at).size(); };
    const auto longer = std::stable_partition(order.begin(), order.end(), [&](std::uint32_t index) {
      return length(index) <= kWordBytes;
    });
    std::array<std::uint32_t, kWordBytes + 2> counts{};
    const auto count = static_cast<std::size_t>(longer - order.begin());
    for (const std::uint32_t index : order.first(count)) {
      // An earlier text ends in the same word with the same length: the two are equal.
      if (counts[length(index) + 1]++ > 0) note_repeated(index);
    }
    for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
    const std::vector<std::uint32_t> unsorted(order.begin(), longer);
    for (const std::uint32_t index : unsorted) order[counts[length(index)]++] = index;
    if (count < order.size()) sort(order.subspan(count), at + kWordBytes);
  }

  std::string_view rest_of(std::uint32_t index, std::size_t at) const {
    const std::string_view text = text_of_(index);
    return at < text.size() ? text.substr(at) : std::string_view();
  }
  void note_repeated(std::uint32_t index) { first_repeated_ = std::min(first_repeated_, index); }

  const TextOf& text_of_;
  std::uint32_t first_repeated_ = kNone;
};

template <class TextAt>
DistinctOrder order_of(std::size_t count, const TextAt& text_at) {
  std::vector<std::uint32_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<std::uint32_t>(i);
  Sorter sorter(text_at);
  sorter.sort(places, 0);
  return {std::move(places), std::min<std::size_t>(sorter.first_repeated(), count)};
}

// Sorts; returns whether all elements differ.
template <class T, class TextOf>
bool sort_many(std::span<T> elements, const TextOf& text_of) {
  Room<T> unsorted(elements.size());
  std::uninitialized_copy(elements.begin(), elements.end(), unsorted.begin());
  const auto order =
      order_of(unsorted.size(), [&](std::uint32_t index) { return text_of(unsorted[index]); });
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = unsorted[order.places[i]];
  return order.first_repeated == elements.size();
}

// In place, because std::stable_sort would allocate memory even for the few members of an item.
// Most names differ in their first eight bytes, which are compared as one number.
void insert_by_name(std::span<Member> members) {
  std::array<std::uint64_t, kFewMembers> words;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member member = members[i];
    const std::uint64_t word = word_of(member.name);
    std::size_t place = i;
    for (; place > 0; --place) {
      const std::uint64_t before = words[place - 1];
      if (before != word ? before < word : members[place - 1].name <= member.name) break;
      words[place] = before;
      members[place] = members[place - 1];
    }
    words[place] = word;
    members[place] = member;
  }
}

}  // namespace

bool sort_by_bytes(std::span<std::string_view> elements) {
  const bool is_sorted = std::is_sorted(elements.begin(), elements.end());
  if (!is_sorted && elements.size() >= kManyElements)
    return sort_many(elements, [](std::string_view text) { return text; });
  if (!is_sorted) std::sort(elements.begin(), elements.end());
  return std::adjacent_find(elements.begin(), elements.end()) == elements.end();
}

void sort_by_name(std::span<Member> members) {
  if (members.size() <= kFewMembers) return insert_by_name(members);
  if (members.size() >= kManyElements) {
    sort_many(members, [](const Member& member) { return member.name; });
    return;
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return a.name < b.name; });
}

std::vector<std::uint32_t> order_by_bytes(std::span<const std::string_view> texts) {
  return order_of(texts.size(), [&](std::uint32_t index) { return texts[index]; }).places;
}

DistinctOrder order_if_distinct(std::span<const std::string_view> texts) {
  // Growing prefixes find an early repetition without reading all texts.
  for (std::size_t count = kManyElements;; count *= 8) {
    count = std::min(count, texts.size());
    auto order = order_of(count, [&](std::uint32_t index) { return texts[index]; });
    if (order.first_repeated < count || count == texts.size()) return order;
  }
}

}  // namespace stator

// Puts some windows (pieces of equal size) of each wanted string into a table, then looks up the
// text's window at every `step`th position. Each string adds `step` adjacent windows, so any
// occurrence in the text has one of them at a looked-up position.
//
// Some strings share windows with the text again and again without occurring in it. For these, all
// windows of the text are counted, now as large as the strings allow. A string with a window that
// the text lacks cannot occur; each other string uses its window that is rarest in the text.
// Strings that fail even then are searched alone, so no input costs much more than one search per
// string.
#include "protocol/text/substrings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "protocol/text/substring.h"
#include "protocol/text/window_hash.h"

namespace stator {
namespace {

// Fewer strings are faster to search one by one.
constexpr std::size_t kGroupMin = 6;
// Capacity of a table, at eight windows per string.
constexpr std::ptrdiff_t kGroupMax = 4096;
// Compared bytes that one string may cost in a round before its windows count as badly chosen.
constexpr std::size_t kFailuresCost = 2048;
constexpr std::size_t kNodeCost = 32;

// Properties that strings searched together share.
struct Shape {
  std::size_t size;           // window size in bytes
  std::size_t step;           // distance between looked-up positions in the text
  std::size_t magnitude = 0;  // size class of long strings, whose windows may be as large
  bool operator==(const Shape&) const = default;
};

// The shape for strings of this size: large windows match rarely, large steps need few lookups.
// size + step <= bytes + 1.
Shape shape_for(std::size_t bytes) {
  if (bytes >= 23) return {16, 8, static_cast<std::size_t>(std::bit_width(bytes)) / 3};
  if (bytes >= 17) return {12, 6};
  if (bytes >= 11) return {8, 4};
  if (bytes >= 8) return {5, 4};
  if (bytes >= 6) return {4, 3};
  return {std::min<std::size_t>(bytes, 4), bytes >= 5 ? std::size_t{2} : std::size_t{1}};
}

// One string still being searched.
struct Searched {
  SearchPattern* wanted;
  std::size_t cost_left = kFailuresCost;
  bool is_out = false;  // of the pass: found, or too costly

  std::string_view bytes() const { return wanted->bytes; }
};

// Depends on the text's address, which clients cannot know, so they cannot choose windows with
// equal hashes.
std::uint64_t factor_for(std::string_view text) {
  return 0x9E37'79B9'7F4A'7C15U + 2 * reinterpret_cast<std::uintptr_t>(text.data());
}

// The windows of strings searched in one pass through the text.
class Windows {
 public:
  Windows(std::string_view text, std::span<Searched> searched)
      : text_(text), searched_(searched), left_(searched.size()) {}

  bool empty() const { return links_.empty(); }
  // Adds the window with this hash at offset `begin` of string `number`.
  void add(std::size_t number, std::size_t begin, std::uint64_t hash) {
    std::uint16_t& head = heads_[hash >> kHeadShift];
    links_.push_back({more_of(hash), static_cast<std::uint32_t>(begin),
                      static_cast<std::uint16_t>(number), head});
    head = static_cast<std::uint16_t>(links_.size());
  }

  // Checks whether a string occurs in the text with a window of this hash at `place`. Returns
  // whether the pass must continue.
  bool try_place(std::size_t place, std::uint64_t hash) {
    std::uint16_t* next = &heads_[hash >> kHeadShift];
    if (*next == 0) return true;
    while (*next != 0) {
      Link& link = links_[*next - std::size_t{1}];
      Searched& searched = searched_[link.searched];
      if (!searched.is_out && link.hash == more_of(hash)) try_string(searched, place, link.begin);
      if (searched.is_out) {
        *next = link.next;
      } else {
        next = &link.next;
      }
    }
    return left_ > 0;
  }

 private:
  static constexpr int kHeadBits = 14;
  static constexpr int kHeadShift = 64 - kHeadBits;

  // A link of the chain of windows whose hashes begin alike.
  struct Link {
    std::uint32_t hash;  // further bits of the hash
    std::uint32_t begin;
    std::uint16_t searched;
    std::uint16_t next;  // from 1; 0 ends the chain
  };
  static std::uint32_t more_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> (kHeadShift - 32));
  }

  // Checks whether the string occurs with its byte `begin` at `place`.
  void try_string(Searched& searched, std::size_t place, std::size_t begin) {
    const std::string_view bytes = searched.bytes();
    if (place < begin || place - begin > text_.size() - bytes.size()) return;
    const std::size_t same = first_difference(text_.data() + (place - begin), bytes);
    const std::size_t cost = same + kNodeCost;
    if (same == bytes.size()) {
      searched.wanted->is_found = true;
    } else if (cost < searched.cost_left) {
      searched.cost_left -= cost;
      return;
    }
    searched.is_out = true;
    --left_;
  }

  const std::string_view text_;
  const std::span<Searched> searched_;
  std::size_t left_;  // strings not out yet
  std::vector<Link> links_;
  std::array<std::uint16_t, std::size_t{1} << kHeadBits> heads_{};
};

// Counts how often each window occurs in a text. An upper bound, as hashes share counters.
class WindowCounts {
 public:
  void add(std::uint64_t hash) {
    std::uint8_t& count = counts_[hash >> kCountShift];
    if (count < kMost) ++count;  // usually skipped: a store would delay the next one
  }
  std::size_t of(std::uint64_t hash) const { return counts_[hash >> kCountShift]; }

 private:
  static constexpr int kCountBits = 18;
  static constexpr int kCountShift = 64 - kCountBits;
  static constexpr std::uint8_t kMost = std::numeric_limits<std::uint8_t>::max();

  std::vector<std::uint8_t> counts_ = std::vector<std::uint8_t>(std::size_t{1} << kCountBits);
};

struct Rarest {
  std::size_t count = std::numeric_limits<std::size_t>::max();
  std::size_t begin = 0;
  std::uint64_t hash = 0;
};

// After a pass: a string that is not out does not occur in the text, and a found string is done.
void forget_decided(std::vector<Searched>& searched) {
  std::erase_if(searched,
                [](const Searched& each) { return !each.is_out || each.wanted->is_found; });
  for (Searched& each : searched) each = {each.wanted};
}

// Searches with windows at the ends of the strings, because similar strings mostly share their
// beginnings.
void search_ends(std::string_view text, std::vector<Searched>& searched, Shape shape) {
  const std::uint64_t factor = factor_for(text);
  Windows windows(text, searched);
  for (std::size_t i = 0; i < searched.size(); ++i) {
    const std::string_view bytes = searched[i].bytes();
    const std::size_t begin = bytes.size() + 1 - shape.size - shape.step;
    visit_small(bytes.substr(begin), shape.size, 1, factor,
                [&](std::size_t at, std::uint64_t hash) {
                  windows.add(i, begin + at, hash);
                  return true;
                });
  }
  visit_small(text, shape.size, shape.step, factor,
              [&](std::size_t at, std::uint64_t hash) { return windows.try_place(at, hash); });
  forget_decided(searched);
}

// Searches with each string's window that is rarest in the text; windows are as large as the
// shortest string.
void search_rarest(std::string_view text, std::vector<Searched>& searched) {
  const std::size_t window_bytes = searched.front().bytes().size();
  const auto visit_windows = [&](std::string_view bytes, const auto& visit) {
    if (window_bytes <= kSmallWindowBytesMax) {
      visit_small(bytes, window_bytes, 1, factor_for(text), visit);
    } else {
      visit_all(bytes, window_bytes, factor_for(text), visit);
    }
  };
  WindowCounts counts;
  visit_windows(text, [&](std::size_t, std::uint64_t hash) {
    counts.add(hash);
    return true;
  });
  Windows windows(text, searched);
  for (std::size_t i = 0; i < searched.size(); ++i) {
    Rarest rarest;
    visit_windows(searched[i].bytes(), [&](std::size_t at, std::uint64_t hash) {
      const std::size_t count = counts.of(hash);
      if (count < rarest.count) rarest = {count, at, hash};
      return count > 0;
    });
    if (rarest.count > 0) windows.add(i, rarest.begin, rarest.hash);
  }
  if (windows.empty()) return searched.clear();
  visit_windows(text,
                [&](std::size_t at, std::uint64_t hash) { return windows.try_place(at, hash); });
  forget_decided(searched);
}

// Searches strings of one shape, sorted by size.
void find_alike(std::string_view text, std::vector<Searched> searched, Shape shape) {
  if (searched.size() >= kGroupMin) search_ends(text, searched, shape);
  if (searched.size() >= kGroupMin) search_rarest(text, searched);
  for (const Searched& each : searched) each.wanted->is_found = contains_bytes(text, each.bytes());
}

}  // namespace

void find_bytes(std::string_view text, std::span<SearchPattern> wanted) {
  std::vector<Searched> all;
  for (SearchPattern& each : wanted) {
    each.is_found = each.bytes.empty();
    if (!each.is_found && each.bytes.size() <= text.size()) all.push_back({&each});
  }
  std::sort(all.begin(), all.end(), [](const Searched& a, const Searched& b) {
    return a.bytes().size() < b.bytes().size();
  });
  for (auto first = all.begin(); first != all.end();) {
    const Shape shape = shape_for(first->bytes().size());
    const auto is_other = [&](const Searched& each) {
      return shape_for(each.bytes().size()) != shape;
    };
    const auto end = first + std::min(kGroupMax, all.end() - first);
    const auto last = std::find_if(first, end, is_other);
    find_alike(text, {first, last}, shape);
    first = last;
  }
}

}  // namespace stator

// Place, Position: where in key order a charge falls and a partition begins.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace stator::capacity {

// One past the last hash (storage::partition_hash: 24 bits).
inline constexpr std::uint32_t kHashesEnd = std::uint32_t{1} << 24;
// Bytes of a sort key that positions hold; a boundary may be any bytes, so a prefix suffices.
inline constexpr std::size_t kPositionSortBytesMax = 128;

// The position of one item. Views, valid as long as their owner.
struct Place {
  std::uint32_t hash = 0;
  std::string_view sort = {};       // ordered bytes of the sort key; empty if none or unknown
  std::string_view partition = {};  // the partition key's bytes, for reports; may be empty
};

// A position that owns its bytes.
struct Position {
  std::uint32_t hash = 0;
  std::string sort = {};

  bool operator==(const Position&) const = default;
  auto operator<=>(const Position&) const = default;
};

// The sort key, truncated as in a Position.
inline std::string_view position_sort(const Place& place) {
  return place.sort.substr(0, kPositionSortBytesMax);
}

inline std::weak_ordering compare(const Place& place, const Position& position) {
  if (place.hash != position.hash) return place.hash <=> position.hash;
  return position_sort(place) <=> std::string_view(position.sort);
}

}  // namespace stator::capacity

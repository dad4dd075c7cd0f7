// Place, Position: where in the order of keys a charge falls and a partition begins.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace stator::capacity {

// Behind the last hash (storage::partition_hash: 24 bits).
inline constexpr std::uint32_t kHashesEnd = std::uint32_t{1} << 24;
// So much of a sort key tells places apart; a boundary may be any bytes, so a prefix serves.
inline constexpr std::size_t kPositionSortBytesMax = 128;

// Of one item. Views, valid as long as their owner's.
struct Place {
  std::uint32_t hash = 0;
  std::string_view sort = {};       // ordered bytes of the sort key; empty: none, or unknown
  std::string_view partition = {};  // bytes of the partition key, to name it by; may be empty
};

// The same, kept.
struct Position {
  std::uint32_t hash = 0;
  std::string sort = {};

  bool operator==(const Position&) const = default;
  auto operator<=>(const Position&) const = default;
};

// The sort key as far as positions have it.
inline std::string_view position_sort(const Place& place) {
  return place.sort.substr(0, kPositionSortBytesMax);
}

inline std::weak_ordering compare(const Place& place, const Position& position) {
  if (place.hash != position.hash) return place.hash <=> position.hash;
  return position_sort(place) <=> std::string_view(position.sort);
}

}  // namespace stator::capacity

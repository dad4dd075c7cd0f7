// Sorts anything that has a path in the order of is_path_before().
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/expression/resolution/paths.h"
#include "protocol/memory/arena.h"
#include "protocol/values/byte_order.h"

namespace stator::expr {

// Returns `items` sorted by path_of(item): either in place or a copy in the arena.
template <class T, class PathOf>
std::span<T> sort_by_path(std::span<T> items, const PathOf& path_of, Arena& arena) {
  const auto is_before = [&](const T& a, const T& b) {
    return is_path_before(path_of(a), path_of(b));
  };
  constexpr std::size_t kManyItems = 2048;
  if (items.size() < kManyItems) {
    std::sort(items.begin(), items.end(), is_before);
    return items;
  }
  if (std::is_sorted(items.begin(), items.end(), is_before)) return items;
  // The legacy parameters may name many attributes: sorts these by attribute first.
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const T& item : items) names.push_back(path_of(item).front().name);
  const auto order = order_by_bytes(names);
  const std::span<T> sorted = arena.allocate_array<T>(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) new (&sorted[i]) T(items[order[i]]);
  for (std::size_t first = 0, end = 1; first < sorted.size(); first = end++) {
    while (end < sorted.size() && names[order[end]] == names[order[first]]) ++end;
    const std::span<T> same = sorted.subspan(first, end - first);
    if (same.size() > 1) std::sort(same.begin(), same.end(), is_before);
  }
  return sorted;
}

}  // namespace stator::expr

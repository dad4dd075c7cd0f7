// Whether several keys name the same item.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/catalog/primary_key.h"

namespace stator {

// `Located` has the members of LocatedKey. A request may name a table twice (by name and by ARN),
// so tables are compared by their spaces.
template <class Located>
bool has_duplicates(std::span<const Located> located) {
  std::vector<std::tuple<storage::SpaceId, std::string_view, std::string_view>> keys;
  keys.reserve(located.size());
  for (const Located& each : located)
    keys.emplace_back(each.table->space, each.key.partition, each.key.sort);
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

}  // namespace stator

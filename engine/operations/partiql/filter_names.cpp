#include "engine/operations/partiql/filter_names.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/pages/read_plan.h"
#include "protocol/text/utf8.h"

namespace stator {
namespace {

using expr::Path;

std::string_view name_of(const Path& path) { return path.front().name; }

// Java's hash of a string: a polynomial of its UTF-16 units.
std::uint32_t java_hash(std::string_view text) {
  std::uint32_t hash = 0;
  for_each_utf16_unit(text, [&](std::uint16_t unit) { hash = hash * 31 + unit; });
  return hash;
}

// The iteration order of a Java HashSet to which the names were added in this order.
void sort_by_hash(std::vector<Path>& paths) {
  std::uint32_t buckets = 16;
  while (paths.size() > buckets / 4 * 3) buckets *= 2;
  const auto bucket = [&](const Path& path) {
    const std::uint32_t hash = java_hash(name_of(path));
    return (hash ^ hash >> 16) & (buckets - 1);
  };
  std::stable_sort(paths.begin(), paths.end(),
                   [&](const Path& a, const Path& b) { return bucket(a) < bucket(b); });
}

// The region whose names the error lists; nullptr if none.
const KeyRegion* telling_region(std::span<const KeyRegion> regions, const KeyAttribute& key) {
  const KeyRegion* telling = nullptr;
  std::string_view greatest;
  for (const KeyRegion& region : regions) {
    if (region.filter == nullptr || !region.filter->is_lacking) return nullptr;
    const bool has_type = region.partition != nullptr && region.partition->type() == key.type;
    const std::string_view value = has_type ? region.partition->bytes() : std::string_view();
    if (telling != nullptr && value <= greatest) continue;
    telling = &region;
    greatest = value;
  }
  return telling;
}

}  // namespace

std::span<const Path> paths_not_carried(std::span<const KeyRegion> regions,
                                        const ReadTarget& target, Arena& arena) {
  const KeyRegion* const telling = telling_region(regions, target.partition_keys().front());
  if (telling == nullptr) return {};
  std::vector<Path> lacking;
  std::vector<const FilterTerm*> terms = {telling->filter};
  while (!terms.empty()) {
    const FilterTerm& term = *terms.back();
    terms.pop_back();
    if (!term.is_lacking) continue;
    if (term.condition == nullptr) {
      terms.push_back(term.right);
      terms.push_back(term.left);
      continue;
    }
    for (const Path& path : paths_of(term.condition, arena)) {
      const bool is_known = std::any_of(lacking.begin(), lacking.end(), [&](const Path& other) {
        return name_of(other) == name_of(path);
      });
      if (!is_known && !target.carries(name_of(path))) lacking.push_back(path);
    }
  }
  sort_by_hash(lacking);
  return arena.copy(std::span<const Path>(lacking));
}

}  // namespace stator

// AttributesToGet to a projection.
#include "protocol/expression/legacy_projection.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "protocol/attribute_value.h"
#include "protocol/expression/legacy_entries.h"
#include "protocol/expression/paths.h"
#include "protocol/shape.h"
#include "protocol/wording.h"

namespace stator::expr {

Result<const Projection*> read_attributes_to_get(const JsonNode& body, Arena& arena) {
  const auto names = list_member(body, "AttributesToGet");
  if (names.empty()) return nullptr;
  std::set<std::string_view> seen;
  const auto paths = arena.allocate_array<Path>(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i].text();
    STATOR_CHECK(check_attribute_name(name));
    if (!seen.insert(name).second) {
      return Error::validation(std::string(kInvalidParameter) +
                               "Duplicate value in attribute name: " + std::string(name));
    }
    paths[i] = whole_attribute(name, arena);
  }
  const auto sorted = arena.copy(std::span<const Path>(paths));
  std::sort(sorted.begin(), sorted.end(), is_path_before);
  return arena.make<Projection>(paths, sorted);
}

}  // namespace stator::expr

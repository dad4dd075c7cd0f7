// Entries of legacy parameters.
#include "protocol/expression/legacy_entries.h"

#include <cstddef>
#include <string_view>

#include "protocol/byte_order.h"

namespace stator::expr {

std::vector<const JsonMember*> effective_members(const JsonNode& object) {
  const auto all = object.members();
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const JsonMember& member : all) names.push_back(member.name);
  const auto order = order_by_bytes(names);
  std::vector<bool> is_replaced(all.size());
  for (std::size_t i = 1; i < order.size(); ++i)
    is_replaced[order[i - 1]] = names[order[i - 1]] == names[order[i]];
  std::vector<const JsonMember*> members;
  members.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_replaced[i]) members.push_back(&all[i]);
  }
  return members;
}

Path whole_attribute(std::string_view name, Arena& arena) {
  const auto path = arena.allocate_array<PathElement>(1);
  path[0] = {.text = name, .name = name};
  return path;
}

}  // namespace stator::expr

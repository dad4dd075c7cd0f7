// Entries of legacy parameters.
#include "protocol/expression/legacy/legacy_entries.h"

#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/values/byte_order.h"

namespace stator::expr {

namespace {

// Whether a later member of the same name replaces each member.
std::vector<bool> replaced(std::span<const JsonMember> members) {
  std::vector<bool> is_replaced(members.size());
  if (members.size() < 2) return is_replaced;
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (const JsonMember& member : members) names.push_back(member.name);
  if (order_if_distinct(names).first_repeated == names.size()) return is_replaced;
  const auto order = order_by_bytes(names);
  for (std::size_t i = 1; i < order.size(); ++i)
    is_replaced[order[i - 1]] = names[order[i - 1]] == names[order[i]];
  return is_replaced;
}

}  // namespace

std::vector<const JsonMember*> effective_members(const JsonNode& object) {
  const auto all = object.members();
  const std::vector<bool> is_replaced = replaced(all);
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

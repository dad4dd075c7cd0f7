// Entries of legacy parameters.
#include "protocol/expression/legacy_entries.h"

#include <algorithm>

namespace stator::expr {

std::vector<const JsonMember*> effective_members(const JsonNode& object) {
  std::vector<const JsonMember*> members;
  members.reserve(object.members().size());
  for (const JsonMember& member : object.members()) members.push_back(&member);
  // Members lie in the order of the text, so their addresses do too.
  std::sort(members.begin(), members.end(), [](const JsonMember* a, const JsonMember* b) {
    return a->name != b->name ? a->name < b->name : a > b;
  });
  const auto is_same_name = [](const JsonMember* a, const JsonMember* b) {
    return a->name == b->name;
  };
  members.erase(std::unique(members.begin(), members.end(), is_same_name), members.end());
  std::sort(members.begin(), members.end());
  return members;
}

Path whole_attribute(std::string_view name, Arena& arena) {
  const auto path = arena.allocate_array<PathElement>(1);
  path[0] = {.text = name, .name = name};
  return path;
}

}  // namespace stator::expr

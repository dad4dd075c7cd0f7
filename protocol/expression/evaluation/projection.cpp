#include "protocol/expression/evaluation/projection.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "protocol/expression/resolution/operand_checks.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/expression/syntax/parser.h"

namespace stator::expr {
namespace {

// Sorted paths with the same first steps.
using Group = std::span<const Path>;

// Takes the leading paths of `rest` that share the step at `depth`.
Group take_group(Group& rest, std::size_t depth) {
  const PathElement& first = rest.front()[depth];
  std::size_t count = 1;
  while (count < rest.size() && rest[count][depth].is_index == first.is_index &&
         (first.is_index ? rest[count][depth].index == first.index
                         : rest[count][depth].name == first.name)) {
    ++count;
  }
  const Group group = rest.first(count);
  rest = rest.subspan(count);
  return group;
}

std::span<const Member> select_members(Group paths, std::size_t depth,
                                       std::span<const Member> members, Arena& arena);
std::span<const Value> select_elements(Group paths, std::size_t depth,
                                       std::span<const Value> elements, Arena& arena);

// The part of `value` that the group selects. The group's steps up to `depth` lead to `value`.
std::optional<Value> select(Group group, std::size_t depth, const Value& value, Arena& arena) {
  if (group.front().size() == depth) return value;
  // No two paths conflict, so the first step decides whether all need a list or a map.
  if (group.front()[depth].is_index) {
    if (value.type() != Type::L) return std::nullopt;
    const auto elements = select_elements(group, depth, value.elements(), arena);
    if (elements.empty()) return std::nullopt;
    return Value::list(elements);
  }
  if (value.type() != Type::M) return std::nullopt;
  const auto members = select_members(group, depth, value.members(), arena);
  if (members.empty()) return std::nullopt;
  return Value::map(members);
}

std::span<const Member> select_members(Group paths, std::size_t depth,
                                       std::span<const Member> members, Arena& arena) {
  const auto selected = arena.allocate_array<Member>(std::min(paths.size(), members.size()));
  std::size_t count = 0;
  // Looks up the smaller side in the larger: thousands of paths must cost a small item little.
  if (paths.size() > members.size()) {
    const auto is_before = [&](const Path& path, std::string_view name) {
      return path[depth].name < name;
    };
    for (const Member& member : members) {
      const auto found = std::lower_bound(paths.begin(), paths.end(), member.name, is_before);
      paths = paths.subspan(static_cast<std::size_t>(found - paths.begin()));
      if (paths.empty()) break;
      if (paths.front()[depth].name != member.name) continue;
      if (const auto part = select(take_group(paths, depth), depth + 1, member.value, arena)) {
        selected[count++] = Member{member.name, *part};
      }
    }
    return selected.first(count);
  }
  while (!paths.empty()) {
    const Group group = take_group(paths, depth);
    const std::string_view name = group.front()[depth].name;
    const Value* const value = find_attribute(members, name);
    if (value == nullptr) continue;
    if (const auto part = select(group, depth + 1, *value, arena)) {
      selected[count++] = Member{name, *part};
    }
  }
  return selected.first(count);
}

std::span<const Value> select_elements(Group paths, std::size_t depth,
                                       std::span<const Value> elements, Arena& arena) {
  const auto selected = arena.allocate_array<Value>(std::min(paths.size(), elements.size()));
  std::size_t count = 0;
  while (!paths.empty()) {
    const Group group = take_group(paths, depth);
    const std::uint64_t index = group.front()[depth].index;
    if (index >= elements.size()) break;
    if (const auto part = select(group, depth + 1, elements[index], arena)) {
      selected[count++] = *part;
    }
  }
  return selected.first(count);
}

}  // namespace

Result<const Projection*> parse_projection(std::string_view text, Placeholders& placeholders,
                                           Wording wording, Arena& arena) {
  const Messages messages{"ProjectionExpression", wording};
  STATOR_TRY(const std::span<Path> paths,
             parse_cached<std::span<Path>>(text, messages, placeholders.cache(), arena,
                                           parse_projection_text));
  for (const Path path : paths) STATOR_CHECK(resolve_path(path, messages, placeholders));
  const std::span<const Path> sorted = sort_paths(paths, arena);
  STATOR_CHECK(check_paths_apart(paths, sorted, messages));
  return arena.make<Projection>(paths, sorted);
}

Item project(const Projection& projection, Item item, Arena& arena) {
  return select_members(projection.sorted, 0, item, arena);
}

}  // namespace stator::expr

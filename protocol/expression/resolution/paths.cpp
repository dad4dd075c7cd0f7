#include "protocol/expression/resolution/paths.h"

#include <algorithm>
#include <cstddef>

#include "protocol/errors/rule.h"
#include "protocol/expression/resolution/path_order.h"

namespace stator::expr {
namespace {

enum class PathConflict { None, Overlap, Conflict };

bool is_step_before(const PathElement& a, const PathElement& b) {
  if (a.is_index != b.is_index) return b.is_index;
  return a.is_index ? a.index < b.index : a.name < b.name;
}

PathConflict clash_of(Path a, Path b) {
  const auto [a_end, b_end] = std::mismatch(a.begin(), a.end(), b.begin(), b.end(), is_same_step);
  if (a_end == a.end() || b_end == b.end()) return PathConflict::Overlap;
  return a_end->is_index != b_end->is_index ? PathConflict::Conflict : PathConflict::None;
}

// In sorted order any clash occurs between neighbours.
bool has_clash(std::span<const Path> sorted) {
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (clash_of(sorted[i - 1], sorted[i]) != PathConflict::None) return true;
  }
  return false;
}

}  // namespace

bool is_same_step(const PathElement& a, const PathElement& b) {
  if (a.is_index != b.is_index) return false;
  return a.is_index ? a.index == b.index : a.name == b.name;
}

std::string path_text(Path path) {
  std::string text = "[";
  for (const PathElement& element : path) {
    if (text.size() > 1) text.append(", ");
    if (element.is_index) {
      text.append("[").append(std::to_string(element.index)).append("]");
    } else {
      text.append(element.name);
    }
  }
  return text.append("]");
}

bool is_same_path(Path a, Path b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same_step);
}

const Value* find_value_at(Item item, Path path) {
  const Value* value = find_attribute(item, path.front().name);
  for (const PathElement& step : path.subspan(1)) {
    if (value == nullptr) return nullptr;
    if (step.is_index) {
      value = value->type() == Type::L ? value->find_element(step.index) : nullptr;
    } else {
      value = value->type() == Type::M ? find_attribute(value->members(), step.name) : nullptr;
    }
  }
  return value;
}

bool is_path_before(Path a, Path b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), is_step_before);
}

std::span<const Path> sort_paths(std::span<const Path> paths, Arena& arena) {
  return sort_by_path(
      arena.copy(paths), [](Path path) { return path; }, arena);
}

Result<void> check_paths_apart(std::span<const Path> paths, std::span<const Path> sorted,
                               const Messages& messages) {
  if (!has_clash(sorted)) return {};
  for (const PathConflict wanted : {PathConflict::Overlap, PathConflict::Conflict}) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      for (std::size_t j = i + 1; j < paths.size(); ++j) {
        if (clash_of(paths[i], paths[j]) != wanted) continue;
        const std::string one = path_text(paths[i]);
        const std::string two = path_text(paths[j]);
        return messages.error(
            std::string("Two document paths ")
                .append(wanted == PathConflict::Overlap ? "overlap" : "conflict")
                .append(" with each other; must remove or rewrite one of these paths; path one: ")
                .append(one)
                .append(", path two: ")
                .append(two),
            Rule::SeparatePaths, {one, two});
      }
    }
  }
  return {};
}

}  // namespace stator::expr

// Document paths: their text in messages, what they lead to in an item, and whether several of them
// can be asked for together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/value.h"

namespace stator::expr {

// As messages show a resolved path: "[a, [1], b]".
std::string path_text(Path path);

bool is_same_path(Path a, Path b);

// What the path leads to, or nullptr. REQUIRES: that is in no run of elements (value.h).
const Value* find_value_at(Item item, Path path);

bool is_same_step(const PathElement& a, const PathElement& b);
// Order by steps, a prefix first, names before indexes. Also groups what has the same parent.
bool is_path_before(Path a, Path b);
std::span<const Path> sort_paths(std::span<const Path> paths, Arena& arena);

// The service's text about the first two paths, in the order given, of which one is the other or
// its parent ("overlap"), or which use the same parent as a map and as a list ("conflict");
// overlaps win. `sorted` has the same paths in the order of is_path_before().
std::optional<std::string> find_path_clash(std::span<const Path> paths,
                                           std::span<const Path> sorted);

}  // namespace stator::expr

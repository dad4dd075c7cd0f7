// Document paths: their text in messages, the value they lead to in an item, and whether a request
// may use several of them together.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator::expr {

// A resolved path as messages show it: "[a, [1], b]".
std::string path_text(Path path);

bool is_same_path(Path a, Path b);

// The value at the path, or nullptr. REQUIRES: the value is in no run of elements (value.h).
const Value* find_value_at(Item item, Path path);

bool is_same_step(const PathElement& a, const PathElement& b);
// Orders by steps, a prefix first, names before indexes. Paths with the same parent become
// neighbours.
bool is_path_before(Path a, Path b);
std::span<const Path> sort_paths(std::span<const Path> paths, Arena& arena);

// Refuses the first two paths, in the given order, that overlap (one equals or contains the other)
// or conflict (they use the same parent as a map and as a list). Overlaps take precedence. `sorted`
// has the same paths in the order of is_path_before().
Result<void> check_paths_apart(std::span<const Path> paths, std::span<const Path> sorted,
                               const Messages& messages);

}  // namespace stator::expr

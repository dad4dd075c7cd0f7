// ProjectionExpression: text to checked paths, and the part of an item they select
// (conformance/observed/expressions.md 6).
#pragma once

#include <span>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/placeholders.h"
#include "protocol/result.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator::expr {

struct Projection {
  std::span<const Path> paths;   // in the order of the text; none is another's parent
  std::span<const Path> sorted;  // the same, in the order of is_path_before()
};

// Parses and reports every error that needs no stored data, in the service's order; marks the names
// used. The result lives in `arena` and refers to `text` and to what `placeholders` was read from.
Result<const Projection*> parse_projection(std::string_view text, Placeholders& placeholders,
                                           Wording wording, Arena& arena);

// The selected part of an item sorted by name, sorted likewise: maps and lists on the way keep only
// what is selected, in list order and without gaps. What is missing is left out, and so are parents
// of which nothing was found. Refers to the item's values.
Item project(const Projection& projection, Item item, Arena& arena);

}  // namespace stator::expr

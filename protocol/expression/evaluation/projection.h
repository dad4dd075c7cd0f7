// ProjectionExpression: parses the text to checked paths and selects their part of an item
// (conformance/observed/expressions.md 6).
#pragma once

#include <span>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator::expr {

struct Projection {
  std::span<const Path> paths;   // in the order of the text; none contains another
  std::span<const Path> sorted;  // the same paths in the order of is_path_before()
};

// Parses and reports every error that needs no stored data, in the service's order. Marks the names
// used. The result lives in `arena` and refers to `text` and to the source of `placeholders`.
Result<const Projection*> parse_projection(std::string_view text, Placeholders& placeholders,
                                           Wording wording, Arena& arena);

// The selected part of an item sorted by name; the result is sorted too. Maps and lists on a path
// retain only the selected parts; lists keep their order, without gaps. Omits missing parts, and
// parents of which no part was found. Refers to the item's values.
Item project(const Projection& projection, Item item, Arena& arena);

}  // namespace stator::expr

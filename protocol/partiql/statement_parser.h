// Statement text to its tree.
#pragma once

#include <string_view>

#include "protocol/arena.h"
#include "protocol/partiql/tree.h"
#include "protocol/result.h"

namespace stator::partiql {

// The tree lives in the arena and refers to `text`. Errors are the service's, in the order in which
// its parser, which reads from left to right, comes upon them
// (conformance/observed/partiql.md 2).
Result<const Statement*> parse_statement(std::string_view text, Arena& arena);

}  // namespace stator::partiql

// Parses statement text.
#pragma once

#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/tree.h"

namespace stator::partiql {

// The tree lives in the arena and refers to `text`. Returns the service's errors, in the order in
// which its parser, reading from left to right, finds them (conformance/observed/partiql.md 2).
Result<const Statement*> parse_statement(std::string_view text, Arena& arena);

}  // namespace stator::partiql

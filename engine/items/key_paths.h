// Paths of requests against the key schema.
#pragma once

#include <span>

#include "engine/schema/table.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/projection.h"
#include "protocol/result.h"

namespace stator {

// Key attributes of a table and of its indexes are scalars: no path may go into them.
Result<void> check_key_paths(const Table& table, std::span<const expr::Path> paths);
// The same for a projection; nullptr: all attributes, which asks for no path.
Result<void> check_key_paths(const Table& table, const expr::Projection* projection);

}  // namespace stator

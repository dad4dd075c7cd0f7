// Checks the paths of requests against the key schema.
#pragma once

#include <span>

#include "engine/schema/table.h"
#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/syntax/ast.h"

namespace stator {

// Key attributes of a table and of its indexes are scalars: no path may lead into them.
Result<void> check_key_paths(const Table& table, std::span<const expr::Path> paths);
// Checks the paths of a projection; nullptr means all attributes, without paths.
Result<void> check_key_paths(const Table& table, const expr::Projection* projection);

}  // namespace stator

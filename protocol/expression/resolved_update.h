// The static checks of an update of a statement, in which nothing stands for anything else.
#pragma once

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/result.h"

namespace stator::expr {

// Reports every error that needs no stored data, as parse_update() does (update.h).
Result<void> check_resolved_update(Update& update, Arena& arena);

}  // namespace stator::expr

// The static checks of a statement's update, which has no placeholders.
#pragma once

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"

namespace stator::expr {

// Reports every error that needs no stored data, as parse_update() does (update.h).
Result<void> check_resolved_update(Update& update, Arena& arena);

}  // namespace stator::expr

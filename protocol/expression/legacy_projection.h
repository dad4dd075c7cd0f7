// AttributesToGet, which reads had before ProjectionExpression, as the same projection.
#pragma once

#include "protocol/arena.h"
#include "protocol/expression/projection.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator::expr {

// The attributes of the member, each with all that is in it; nullptr when it is absent. Its JSON
// types and constraints are checked already. A name given twice is refused. Refers to the body and
// to the arena.
Result<const Projection*> read_attributes_to_get(const JsonNode& body, Arena& arena);

}  // namespace stator::expr

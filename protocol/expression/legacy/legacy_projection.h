// Converts AttributesToGet, which predates ProjectionExpression, to the same projection.
#pragma once

#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"

namespace stator::expr {

// The whole attributes that the member names; nullptr if it is absent. A repeated name is an error.
// REQUIRES: its JSON types and constraints were checked. The result refers to the body and to the
// arena.
Result<const Projection*> read_attributes_to_get(const JsonNode& body, Arena& arena);

}  // namespace stator::expr

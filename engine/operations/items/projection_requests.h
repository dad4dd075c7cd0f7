// What lookups of items share: the attributes they ask for.
#pragma once

#include "engine/call/call.h"
#include "protocol/expression/projection.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/wording.h"

namespace stator {

// Rules for AttributesToGet, ProjectionExpression and ExpressionAttributeNames of a lookup that
// need no expression parsed.
Result<void> check_projection_parameters(const JsonNode& node, Wording wording);

// The attributes a lookup asks for, or nullptr: all of them. Every error that needs no stored data.
// Refers to the node and to the call's arena.
Result<const expr::Projection*> parse_lookup_projection(const JsonNode& node, Call& call);

}  // namespace stator

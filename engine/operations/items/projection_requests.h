// Shared by lookups of items: the attributes that they request, and what they touch.
#pragma once

#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/json/json_tree.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator {

// Checks the rules for AttributesToGet, ProjectionExpression and ExpressionAttributeNames of a
// lookup that need no parsed expression.
Result<void> check_projection_parameters(const JsonNode& node, Wording wording);

// The attributes of a lookup; nullptr means all. Reports every error that needs no stored data.
// Refers to the node and to the call's arena.
Result<const expr::Projection*> parse_lookup_projection(const JsonNode& node, Call& call);

// The lookup of an item, whole without a projection. The caller sets what depends on the operation.
Resource touched_lookup(std::string_view table_name, Item key, const expr::Projection* projection);

}  // namespace stator

// What reads of items share: the attributes they ask for, and items rendered with these alone.
#pragma once

#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "protocol/arena.h"
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

// Appends the record's attributes, or the projected ones, as a JSON object.
void append_projected_json(std::string& out, std::string_view record,
                           const expr::Projection* projection, Arena& arena);

}  // namespace stator

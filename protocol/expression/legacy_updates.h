// AttributeUpdates, which UpdateItem had before expressions, as the tree of an UpdateExpression.
#pragma once

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/wording.h"

namespace stator::expr {

// nullptr when the member is absent. Its JSON types and constraints are checked already; entries
// are checked in the order of the text, of a repeated name the last one counts. Names are whole
// attributes. The result has is_legacy set and refers to the body and to the arena.
Result<const Update*> read_attribute_updates(const JsonNode& body, Wording wording, Arena& arena);

}  // namespace stator::expr

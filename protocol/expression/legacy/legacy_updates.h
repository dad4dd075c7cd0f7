// Converts AttributeUpdates, which predates UpdateExpression, to the same tree.
#pragma once

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"

namespace stator::expr {

// nullptr if the member is absent. REQUIRES: its JSON types and constraints were checked. Entries
// are checked in the order of the text; of a repeated name the last one counts. Names are whole
// attributes. The result has is_legacy set and refers to the body and to the arena.
Result<const Update*> read_attribute_updates(const JsonNode& body, Wording wording, Arena& arena);

}  // namespace stator::expr

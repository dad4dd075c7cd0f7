// The statement of a request, parsed for hints.
#pragma once

#include <optional>

#include "protocol/memory/arena.h"
#include "protocol/partiql/lowering.h"
#include "protocol/values/value.h"
#include "server/explain/hints/hints.h"

namespace stator {

// The statement of an ExecuteStatement with its parameters; nullptr if it has none or an invalid
// one. Lives in the arena and refers to the body.
const partiql::Lowered* asked_statement(const HintInput& hinted, Arena& arena);

// The stored item whose key an UPDATE or DELETE names; an empty item if there is none. Returns
// nothing if the statement does not name one item.
std::optional<Item> item_of_statement(const HintInput& hinted, const partiql::Lowered& statement,
                                      Arena& arena);

}  // namespace stator

// What statements that write answer of their item.
#pragma once

#include <optional>

#include "engine/items/item_decision.h"
#include "protocol/arena.h"
#include "protocol/error.h"
#include "protocol/partiql/lowering.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator {

// The attributes that RETURNING asks for; empty: there is no such item, or nothing of it.
Item returned_item(const partiql::Lowered& statement, const Decision& decision, Arena& arena);

// Why the statement did nothing. REQUIRES: the decision's condition failed.
Error statement_failed(const partiql::Lowered& statement, const Decision& decision, bool shows_item,
                       Wording wording);

}  // namespace stator

// UpdateExpression: text to a checked tree, and the tree applied to an item. Legacy
// AttributeUpdates become the same tree (Update::is_legacy). See
// conformance/observed/expressions.md 7.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/placeholders.h"
#include "protocol/result.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator::expr {

// Parses and reports every error that needs no stored data, in the service's order; marks the
// placeholders used. The tree lives in `arena` and refers to `text` and to what `placeholders` was
// read from.
Result<const Update*> parse_update(std::string_view text, Placeholders& placeholders,
                                   Wording wording, Arena& arena);

inline constexpr std::string_view kUpdateTooLarge =
    "Item size to update has exceeded the maximum allowed size";

// Those of the targets and of all operands.
std::vector<Path> all_paths(const Update& update);

// The item after the update, sorted by name. `before` may hold runs where none of the update's
// paths leads to (value.h). It is sorted by name and, when the item does not exist, holds just
// the attributes of the key: removing below a missing parent is no error then. All operands see
// `before`. The result refers to `before`, to the update's constants and to
// `arena`. Errors are those of the stored data, without any prefix, and kUpdateTooLarge when what
// is written would alone be too large an item: that is measured before it is built.
Result<Item> apply_update(const Update& update, Item before, bool exists, Arena& arena);

// Whether what a legacy update puts is alone too large an item, whatever else it does: then
// apply_update() never answers an item. Looks at no more than an item may hold.
bool puts_too_large(const Update& update);

// For ReturnValues UPDATED_OLD and UPDATED_NEW: the targets' part of the item before or after the
// update, sorted; may be empty. Targets are taken literally, as the service does: an element
// appended beyond the end of a list is not found at the index it was written to, and where an
// element was removed there is the one that moved up. Refers to `item` and to `arena`.
Item targeted_part(const Update& update, Item item, Arena& arena);

// What the update itself is charged with against the limit on the size of an item to update
// (protocol/limits.h has it): a sum over the clauses of the text. `before` as for apply_update().
// Not for legacy updates, which are charged nothing. What exceeds the limit is not counted to its
// end.
std::size_t update_charge_bytes(const Update& update, Item before);

}  // namespace stator::expr

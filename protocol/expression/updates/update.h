// UpdateExpression: parses the text to a checked tree and applies the tree to an item. Legacy
// AttributeUpdates become the same tree (Update::is_legacy). See
// conformance/observed/expressions.md 7.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "protocol/errors/result.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator::expr {

// Parses and reports every error that needs no stored data, in the service's order. Marks the
// placeholders used. The tree lives in `arena` and refers to `text` and to the source of
// `placeholders`.
Result<const Update*> parse_update(std::string_view text, Placeholders& placeholders,
                                   Wording wording, Arena& arena);

// Of an item that an update makes too large.
Error update_too_large();

// The paths of the targets and of all operands.
std::vector<Path> all_paths(const Update& update);

// The item after the update, sorted by name. REQUIRES: `before` is sorted by name, holds runs
// (value.h) only where none of the update's paths leads, and holds only the key's attributes if the
// item does not exist. In that case removing below a missing parent is no error. All operands see
// `before`. The result refers to `before`, to the update's constants and to `arena`. Errors are
// those that depend on stored data, without any prefix, and update_too_large() if the written
// values alone exceed the item limit, which is checked before the item is built.
Result<Item> apply_update(const Update& update, Item before, bool exists, Arena& arena);

// Whether the values of a legacy update alone exceed the item limit, so that apply_update() never
// returns an item. Reads at most about as many bytes as an item may hold.
bool puts_too_large(const Update& update);

// For ReturnValues UPDATED_OLD and UPDATED_NEW: the targets' part of the item before or after the
// update, sorted; may be empty. Targets are literal, as in the service: an element appended beyond
// the end of a list is not found at the index it was written to, and the index of a removed element
// shows the element that moved up. Refers to `item` and to `arena`.
Item targeted_part(const Update& update, Item item, Arena& arena);

// The update's charge against the size limit for an item to update (protocol/service/limits.h): a
// sum over the clauses of the text. REQUIRES: `before` as for apply_update(); not a legacy update,
// which has no charge. Above the limit the sum may be incomplete.
std::size_t update_charge_bytes(const Update& update, Item before);

}  // namespace stator::expr

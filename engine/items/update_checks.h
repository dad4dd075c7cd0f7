// Checks of an update against the keys of the table and of its indexes: before it is applied, on
// what the request says, and after, on what became of the item.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/schema/table.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/update.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// No attribute of the table's key is updated; no attribute of an index key is given a value of
// another type or an empty one, as far as the request tells; no key attribute is looked into.
Result<void> check_update_of_keys(const Table& table, const expr::Update& update);

// No index key is given an empty value of its type, as far as the request tells.
Result<void> check_index_keys_not_empty(const Table& table, const expr::Update& update);

// The updated attributes that are index keys have the right type and are neither empty nor too
// long. Others are not looked at: they may be older than the index.
Result<void> check_updated_index_keys(const Table& table, const expr::Update& update, Item after);

inline constexpr std::string_view kUpdateTooLarge = expr::kUpdateTooLarge;

// What the update itself is charged with is not too much, whatever its condition will say. `before`
// is the item, or the key. AttributeUpdates are free.
Result<void> check_update_charge(const expr::Update& update, Item before);
// What becomes of the item is not too large.
Result<void> check_updated_size(std::size_t after_size_bytes);

// An update that gives no attribute a value leaves an item missing that is missing. One without any
// action, or nullptr, creates it.
bool can_create(const expr::Update* update);

}  // namespace stator

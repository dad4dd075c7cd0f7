// Checks an update against the keys of the table and of its indexes: before it is applied, from the
// request alone, and afterwards on the changed item.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/schema/table.h"
#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/expression/updates/update.h"
#include "protocol/values/value.h"

namespace stator {

// Checks, from the request alone, that no attribute of the table's key is updated, that no index
// key gets an empty value or one of another type, and that no path leads into a key attribute.
Result<void> check_update_of_keys(const Table& table, const expr::Update& update);

// Checks, from the request alone, that no index key gets an empty value of its type.
Result<void> check_index_keys_not_empty(const Table& table, const expr::Update& update);

// The updated attributes that are index keys have the right type and are neither empty nor too
// long. Others are not looked at: they may be older than the index. Only of an index that is being
// built they are, when one of its keys is updated.
Result<void> check_updated_index_keys(const Table& table, const expr::Update& update, Item after);

// Checks the charge of the update itself against the limit, whatever its condition. `before` is the
// item, or the key. AttributeUpdates have no charge.
Result<void> check_update_charge(const expr::Update& update, Item before);
// Checks that the changed item is not too large.
Result<void> check_updated_size(std::size_t after_size_bytes);

// Whether the update creates a missing item: not if it gives no attribute a value. One without any
// action, or nullptr, creates it.
bool can_create(const expr::Update* update);

}  // namespace stator

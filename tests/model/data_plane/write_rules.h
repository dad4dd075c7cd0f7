// What writes alone and writes of a transaction have in common.
#pragma once

#include <set>
#include <string>

#include "tests/model/data_plane/syntax.h"
#include "tests/model/data_plane/table_model.h"

namespace stator::model {

// Items stay so small that no update meets the limits of nesting and of size, which an item shares
// with its entries in local indexes.
bool is_small_enough(const TableSchema& schema, const Item& item);

// The text for an index key that is given a value of another type.
std::set<std::string> type_mismatch(const TableSchema& schema, const KeyAttribute& key,
                                    Type actual);

// An update that only takes away creates no item.
bool only_takes(const Update& update);

}  // namespace stator::model

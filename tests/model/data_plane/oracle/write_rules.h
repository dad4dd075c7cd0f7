// What writes alone and writes of a transaction have in common.
#pragma once

#include <set>
#include <string>

#include "tests/model/data_plane/oracle/syntax.h"
#include "tests/model/data_plane/oracle/table_model.h"

namespace stator::model {

inline constexpr std::size_t kItemBytesMax = 400 * 1024;
inline constexpr const char* kItemTooLarge = "Item size has exceeded the maximum allowed size";
inline constexpr const char* kUpdateTooLarge =
    "Item size to update has exceeded the maximum allowed size";
inline constexpr const char* kCollectionTooLarge = "Collection size exceeded.";

// Items stay so small that few updates meet the limits of nesting and of size, which an item shares
// with its entries in local indexes.
bool is_small_enough(const TableSchema& schema, const Item& item);

// The first by name that has the key. REQUIRES: one has.
std::string first_index_with(const TableSchema& schema, const KeyAttribute& key);

// The text for an index key that is given a value of another type.
std::set<std::string> type_mismatch(const TableSchema& schema, const KeyAttribute& key,
                                    Type actual);

// An update that only takes away creates no item.
bool only_takes(const Update& update);

}  // namespace stator::model

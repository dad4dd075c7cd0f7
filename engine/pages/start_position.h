// Where a page begins: a start key against the key schema, and its place in a
// query's range. It holds the key attributes of the table and, when an index is
// read, those of the index. It is a place, not an item: there need not be one
// (any more).
#pragma once

#include <string_view>

#include "engine/pages/key_range.h"
#include "engine/pages/read_target.h"
#include "engine/storage/item_store.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator {

// `The provided starting key is invalid: ` + reason.
Error invalid_start_key(std::string_view reason);

// Against the key schema; Query and Scan have different texts.
Result<void> check_query_start_key(const ReadTarget& target, Item key);
Result<void> check_scan_start_key(const ReadTarget& target, Item key);

// Whether a query of `range` may begin behind `place`, which is the start
// key's.
Result<void> check_start_in_range(const ReadTarget& target, const KeyRange& range,
                                  const storage::StoreKey& place);

}  // namespace stator

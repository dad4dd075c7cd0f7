// Where a page begins: checks a start key against the key schema and the query's range. A start key
// has the key attributes of the table and, if an index is read, those of the index. It is a
// position: an item there need not exist.
#pragma once

#include <string_view>

#include "engine/pages/key_range.h"
#include "engine/pages/read_target.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/errors/result.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator {

// `The provided starting key is invalid: ` before the reason.
Error invalid_start_key(Error reason);

// Check against the key schema; Query and Scan have different texts.
Result<void> check_query_start_key(const ReadTarget& target, Item key);
Result<void> check_scan_start_key(const ReadTarget& target, Item key, Wording wording);

// Whether a query of `range` may begin after `place`, which is the start key's position.
Result<void> check_start_in_range(const ReadTarget& target, const KeyRange& range,
                                  const storage::StoreKey& place);

}  // namespace stator

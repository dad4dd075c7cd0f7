// The items that a recorded request names by their keys.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/table.h"
#include "protocol/values/value.h"
#include "server/explain/requests/recent_requests.h"

namespace stator {

struct TouchedItem {
  std::string table;     // as sent
  std::string key_json;  // {"pk":{"S":"a"}}; empty if the request or the table does not show it
  // Of an item that the request writes whole; empty if it does not, or its body is cut.
  std::optional<std::size_t> size_bytes = {};
};

// The key of `item`, which has all its attributes, as of TouchedItem.
std::string touched_key_json(const Table& table, const Item& item);

// Finds the table that the request means; nullptr if it is gone.
using FindTable = std::function<const Table*(std::string_view name)>;

// One for each action of a transaction, in its order; those of a batch; at most one for a request
// to one item. Of a body that is cut, those in its recorded part.
std::vector<TouchedItem> touched_items(const RecentRequest& request, const FindTable& find);

}  // namespace stator

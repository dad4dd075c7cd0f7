// The recorded requests that may have changed an item.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "server/explain/requests/recent_requests.h"

namespace stator {

// A request of a client that succeeded. The change was between both times, unless the clock was
// moved or set meanwhile.
struct ItemWrite {
  std::string request_id;
  bool is_transaction = false;
  Timestamp begin;
  Timestamp end;
};

// Finds the table of this name that a request means; nullptr if it is gone.
using FindTableOf =
    std::function<const Table*(const RecentRequest& request, std::string_view name)>;

// Oldest first. `key_json` is as of TouchedItem. Batches and statements are left out.
std::vector<ItemWrite> item_writes(const RecentRequests& recent, const Table& table,
                                   std::string_view key_json, const FindTableOf& find);

// The write for each of the changes of the item, whose times rise; nullptr if it is not known, or
// if not as many writes fit a time as changes have it.
std::vector<const ItemWrite*> writes_of_changes(const std::vector<ItemWrite>& writes,
                                                const std::vector<Timestamp>& changes);

}  // namespace stator

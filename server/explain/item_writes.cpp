#include "server/explain/item_writes.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "server/explain/requests/touched_items.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

constexpr std::string_view kTransaction = "TransactWriteItems";
constexpr std::array<std::string_view, 4> kWriting = {"PutItem", "UpdateItem", "DeleteItem",
                                                      kTransaction};
// The clock of durations is not the engine's.
constexpr std::chrono::microseconds kSlack{1000};

bool is_write_of(const RecentRequest& request, const Table& table, std::string_view key_json,
                 const FindTableOf& find) {
  const std::string_view operation = request.text(Part::Operation);
  if (request.status != 200 || request.is_of_console ||
      std::find(kWriting.begin(), kWriting.end(), operation) == kWriting.end())
    return false;
  const auto find_named = [&](std::string_view name) { return find(request, name); };
  const std::vector<TouchedItem> items = touched_items(request, find_named);
  return std::any_of(items.begin(), items.end(), [&](const TouchedItem& item) {
    return item.key_json == key_json && find_named(item.table) == &table;
  });
}

}  // namespace

std::vector<ItemWrite> item_writes(const RecentRequests& recent, const Table& table,
                                   std::string_view key_json, const FindTableOf& find) {
  std::vector<ItemWrite> writes;
  recent.look([&](const RecentRequest& request) {
    if (is_write_of(request, table, key_json, find)) {
      writes.push_back({std::string(request.text(Part::Id)),
                        request.text(Part::Operation) == kTransaction,
                        request.time.plus(-request.took - kSlack), request.time});
    }
    return true;
  });
  std::reverse(writes.begin(), writes.end());
  return writes;
}

std::vector<const ItemWrite*> writes_of_changes(const std::vector<ItemWrite>& writes,
                                                const std::vector<Timestamp>& changes) {
  std::vector<const ItemWrite*> found(changes.size(), nullptr);
  for (std::size_t i = 0; i < changes.size();) {
    const Timestamp time = changes[i];
    std::size_t end = i;
    while (end < changes.size() && changes[end] == time) ++end;
    std::vector<const ItemWrite*> fitting;
    for (const ItemWrite& write : writes) {
      if (write.begin <= time && time <= write.end) fitting.push_back(&write);
    }
    if (fitting.size() == end - i)
      std::copy(fitting.begin(), fitting.end(), found.begin() + static_cast<std::ptrdiff_t>(i));
    i = end;
  }
  return found;
}

}  // namespace stator

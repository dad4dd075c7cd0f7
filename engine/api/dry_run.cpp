#include "engine/api/dry_run.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/catalog/catalog.h"
#include "engine/reports/reported_key.h"
#include "engine/seams/random.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/records/item_codec.h"

namespace stator {

namespace {

constexpr std::array<std::string_view, 13> kItemOperations = {"BatchExecuteStatement",
                                                              "BatchGetItem",
                                                              "BatchWriteItem",
                                                              "DeleteItem",
                                                              "ExecuteStatement",
                                                              "ExecuteTransaction",
                                                              "GetItem",
                                                              "PutItem",
                                                              "Query",
                                                              "Scan",
                                                              "TransactGetItems",
                                                              "TransactWriteItems",
                                                              "UpdateItem"};

std::int64_t size_of(const std::optional<std::string_view>& record) {
  return record ? static_cast<std::int64_t>(storage::EncodedItem(*record).size_bytes()) : 0;
}

void collect(const Mutation& mutation, const Snapshot& snapshot, Arena& arena, DryRun& would) {
  for (const Mutation::ItemRecords& change : mutation.items()) {
    ++would.item_count;
    if (would.changes.size() == DryRun::kItemsMax) continue;
    const Table* const table = snapshot.catalog().find(change.key.space);
    const auto& record = change.after ? change.after : change.before;
    if (table == nullptr || !record) continue;
    would.changes.push_back({table->name, item_key_json(*table, *record, arena),
                             size_of(change.before), size_of(change.after)});
  }
}

}  // namespace

bool has_dry_run(const Operation& operation) {
  return std::binary_search(kItemOperations.begin(), kItemOperations.end(), operation.name);
}

Result<void> run_dry(Call& call, const Snapshot& snapshot, DryRun& would) {
  if (call.access == Access::Read) return call.operation->read(call.request, snapshot, call);
  SeededRandom random(0);  // operations on items draw nothing
  Mutation mutation(random);
  STATOR_CHECK(call.operation->write(call.request, snapshot, mutation, call));
  call.charge_response();
  collect(mutation, snapshot, call.arena, would);
  return {};
}

}  // namespace stator

// BatchWriteItem: up to 25 puts and deletes in any tables. The service writes them one by one; here
// they are one commit, and when one is refused nothing is written.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "engine/items/item_keys.h"
#include "engine/items/item_write.h"
#include "engine/operations/batches/batch_requests.h"
#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/attribute_value.h"
#include "protocol/item_size.h"
#include "protocol/limits.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kBatchWriteItemInput;
constexpr const TypeSpec& kClassicShape = model::kClassicBatchWriteItemInput;

// A put of an item, or the delete of a key.
struct Write {
  Item item;
  std::size_t size_bytes;  // of an item to be put
  bool is_put;
};

struct TableWrites {
  std::string_view table_name;
  std::span<Write> writes;
};

Result<PrimaryKey> key_of(const Table& table, const Write& write) {
  return write.is_put ? key_of_batch_item(table, write.item) : key_of_lookup(table, write.item);
}

// A write whose tables and keys are known to be right.
struct PlannedWrite {
  const Table* table;
  PrimaryKey key;
  const Write* write;
};

// Names may repeat a table (as a name and as an ARN), so tables are compared by their spaces.
bool has_duplicates(std::span<const PlannedWrite> writes) {
  std::vector<std::tuple<storage::SpaceId, std::string_view, std::string_view>> keys;
  keys.reserve(writes.size());
  for (const PlannedWrite& write : writes)
    keys.emplace_back(write.table->space, write.key.partition, write.key.sort);
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

// The item collections of one table that a batch has touched.
class TouchedCollections {
 public:
  // Later sizes of a collection replace earlier ones.
  void add(std::string_view partition, Item item_or_key, std::int64_t size_bytes) {
    const auto known =
        std::find_if(collections_.begin(), collections_.end(),
                     [&](const Collection& other) { return other.partition == partition; });
    if (known != collections_.end()) {
      known->size_bytes = size_bytes;
    } else {
      collections_.push_back({partition, item_or_key, size_bytes});
    }
  }

  void write(JsonWriter& out, std::string_view table_name, const Table& table) const {
    out.key(table_name);
    out.begin_array();
    for (const Collection& collection : collections_)
      write_collection_metrics(out, table, collection.item_or_key, collection.size_bytes);
    out.end_array();
  }

 private:
  struct Collection {
    std::string_view partition;
    Item item_or_key;
    std::int64_t size_bytes;
  };
  std::vector<Collection> collections_;
};

struct BatchWriteItem {
  static constexpr std::string_view name = "BatchWriteItem";
  static constexpr Layer layer = Layer::Classic;

  struct Request {
    std::span<const TableWrites> tables;
    ReturnConsumedCapacity return_consumed_capacity;
    bool wants_collection_metrics;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_batch(body, kShape, kClassicShape, call));
    const auto entries = batch_entries(body);
    const auto tables = call.arena.allocate_array<TableWrites>(entries.size());
    call.table_name = entries.front()->name;
    std::size_t writes = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto nodes = entries[i]->value.elements();
      tables[i] = {entries[i]->name, call.arena.allocate_array<Write>(nodes.size())};
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        STATOR_TRY(tables[i].writes[k], parse_write(nodes[k], call));
      }
      writes += nodes.size();
    }
    if (writes > limits::kBatchWriteRequestsMax) return too_many_items(call);
    return call.arena.make<Request>(tables, parse_return_consumed_capacity(body),
                                    string_member(body, "ReturnItemCollectionMetrics") == "SIZE");
  }

  static Result<Write> parse_write(const JsonNode& node, Call& call) {
    const JsonNode* put = node.find("PutRequest");
    const JsonNode* erase = node.find("DeleteRequest");
    if ((put == nullptr) == (erase == nullptr)) {
      return Error::validation(
          "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
          "the supported datatypes");
    }
    Write write{};
    write.is_put = put != nullptr;
    const JsonNode& item = write.is_put ? *put->find("Item") : *erase->find("Key");
    STATOR_TRY(write.item, decode_item(item, call.wording, call.arena));
    if (!write.is_put) return write;
    write.size_bytes = item_size_bytes(write.item);
    if (write.size_bytes > limits::kItemBytesMax)
      return Error::validation(std::string(kItemTooLarge));
    return write;
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    std::vector<const Table*> tables;
    for (const TableWrites& entry : request.tables) {
      STATOR_TRY(const Table* table, snapshot.item_table(call, entry.table_name));
      tables.push_back(table);
    }
    STATOR_TRY(const std::vector<PlannedWrite> plan, plan_writes(request, tables));
    return write(request, plan, snapshot, mutation, call);
  }

  // Two writes of one item are found before any other mistake in keys.
  static Result<std::vector<PlannedWrite>> plan_writes(const Request& request,
                                                       std::span<const Table* const> tables) {
    std::vector<PlannedWrite> plan;
    std::optional<Error> first_error;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (const Write& write : request.tables[i].writes) {
        auto key = key_of(*tables[i], write);
        if (key) {
          plan.push_back({tables[i], *key, &write});
          if (!write.is_put) continue;
          auto checked = check_index_keys(*tables[i], write.item);
          if (!checked && !first_error) first_error = std::move(checked).error();
        } else if (!first_error) {
          first_error = std::move(key).error();
        }
      }
    }
    if (has_duplicates(plan)) return duplicate_keys();
    if (first_error) return std::move(*first_error);
    return plan;
  }

  static Result<void> write(const Request& request, std::span<const PlannedWrite> plan,
                            const Snapshot& snapshot, Mutation& mutation, Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("UnprocessedItems");
    out.begin_object();
    out.end_object();
    std::vector<TableCapacity> capacities;
    std::vector<TouchedCollections> collections(request.tables.size());
    bool has_collections = false;
    std::int64_t units_milli = 0;
    auto next = plan.begin();
    for (std::size_t i = 0; i < request.tables.size(); ++i) {
      TableCapacity capacity{request.tables[i].table_name, {}};
      for (const auto end = next + std::ssize(request.tables[i].writes); next != end; ++next) {
        STATOR_TRY(const WriteOutcome outcome, write_one(*next, snapshot, mutation, call));
        capacity.consumed.add(outcome.consumed);
        if (next->table->local_indexes.empty()) continue;
        has_collections = true;
        collections[i].add(next->key.partition, next->write->item, outcome.collection_size_bytes);
      }
      units_milli += capacity.consumed.total_units_milli();
      capacities.push_back(std::move(capacity));
    }
    call.units_milli = units_milli;
    if (request.wants_collection_metrics && has_collections)
      write_metrics(out, request, plan, collections);
    write_consumed_capacities(out, request.return_consumed_capacity, capacities);
    out.end_object();
    return {};
  }

  static Result<WriteOutcome> write_one(const PlannedWrite& planned, const Snapshot& snapshot,
                                        Mutation& mutation, Call& call) {
    STATOR_TRY(const StoredItem before, StoredItem::find(snapshot, *planned.table, planned.key));
    const Write& write = *planned.write;
    return write_item({.table = *planned.table,
                       .key = planned.key,
                       .before = before,
                       .after = write.is_put ? &write.item : nullptr,
                       .after_size_bytes = write.size_bytes},
                      snapshot, mutation, call);
  }

  static void write_metrics(JsonWriter& out, const Request& request,
                            std::span<const PlannedWrite> plan,
                            std::span<const TouchedCollections> collections) {
    out.key("ItemCollectionMetrics");
    out.begin_object();
    for (std::size_t i = 0; i < request.tables.size(); ++i) {
      const TableWrites& entry = request.tables[i];
      const Table& table = *plan.front().table;
      if (!table.local_indexes.empty()) collections[i].write(out, entry.table_name, table);
      plan = plan.subspan(entry.writes.size());
    }
    out.end_object();
  }
};

}  // namespace

Operation batch_write_item_row() { return define<BatchWriteItem>(); }

}  // namespace stator

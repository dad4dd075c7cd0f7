// BatchGetItem: up to 100 items of any tables by their primary keys. Returns keys beyond the size
// of a response as unprocessed.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/items/item_keys.h"
#include "engine/items/key_paths.h"
#include "engine/items/stored_item.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/batches/batch_requests.h"
#include "engine/operations/batches/part_marks.h"
#include "engine/operations/define.h"
#include "engine/operations/items/projection_requests.h"
#include "engine/schema/partitions.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

constexpr const TypeSpec& kClassicShape = model::kClassicBatchGetItemInput;

// The lookups in one table.
struct TableLookups {
  std::string_view table_name;
  const JsonNode* node;  // as sent
  std::span<Item> keys;
  bool consistent_read;
  const expr::Projection* projection;  // nullptr means whole items
};

// Equal keys have equal encodings.
bool has_equal_keys(std::span<const Item> keys) {
  if (keys.size() < 2) return false;
  std::string bytes;
  std::vector<std::size_t> ends{0};
  for (const Item key : keys) {
    storage::encode_item(key, bytes);
    ends.push_back(bytes.size());
  }
  std::vector<std::string_view> encoded;
  for (std::size_t i = 0; i < keys.size(); ++i)
    encoded.push_back(std::string_view(bytes).substr(ends[i], ends[i + 1] - ends[i]));
  std::sort(encoded.begin(), encoded.end());
  return std::adjacent_find(encoded.begin(), encoded.end()) != encoded.end();
}

// Marks for keys of items that the request has named before. Only a table that is named twice, by
// name and by ARN, can have them.
PartMarks repeated_keys(std::span<const TableLookups> entries, std::span<const Table* const> tables,
                        std::span<const PrimaryKey> keys, Arena& arena) {
  std::vector<const Table*> named(tables.begin(), tables.end());
  std::sort(named.begin(), named.end());
  if (std::adjacent_find(named.begin(), named.end()) == named.end()) return {};
  const PartMarks repeated{arena.allocate_array<bool>(keys.size())};
  std::set<std::tuple<const Table*, std::string_view, std::string_view>> seen;
  std::size_t place = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t k = 0; k < entries[i].keys.size(); ++k, ++place) {
      const PrimaryKey& key = keys[place];
      repeated.marks[place] = !seen.emplace(tables[i], key.partition, key.sort).second;
    }
  }
  return repeated;
}

void write_unprocessed(JsonWriter& out, const TableLookups& lookups,
                       std::span<const Item> unprocessed) {
  out.key(lookups.table_name);
  out.begin_object();
  out.key("Keys");
  out.begin_array();
  for (const Item key : unprocessed) {
    out.before_value();
    append_item_json(out.out(), key);
  }
  out.end_array();
  if (lookups.node->find("AttributesToGet") != nullptr) {
    out.key("AttributesToGet");
    out.begin_array();
    for (const JsonNode& name : list_member(*lookups.node, "AttributesToGet"))
      out.string(name.text());
    out.end_array();
  }
  if (const auto consistent = boolean_member(*lookups.node, "ConsistentRead"))
    out.member("ConsistentRead", *consistent);
  if (const auto text = string_member(*lookups.node, "ProjectionExpression"))
    out.member("ProjectionExpression", *text);
  if (const JsonNode* names = lookups.node->find("ExpressionAttributeNames")) {
    out.key("ExpressionAttributeNames");
    out.begin_object();
    for (const JsonMember& name : names->members()) out.member(name.name, name.value.text());
    out.end_object();
  }
  out.end_object();
}

// One table with an expression and another with the legacy parameter are as invalid as one table
// with both.
Result<void> check_not_mixed_over_tables(std::span<const JsonMember* const> entries,
                                         Wording wording) {
  const JsonNode* names = nullptr;
  const JsonNode* expression = nullptr;
  for (const JsonMember* entry : entries) {
    if (const JsonNode* found = entry->value.find("AttributesToGet")) names = found;
    if (const JsonNode* found = entry->value.find("ProjectionExpression")) expression = found;
  }
  if (names == nullptr || expression == nullptr) return {};
  const JsonMember both[] = {{"AttributesToGet", *names}, {"ProjectionExpression", *expression}};
  return check_not_mixed(JsonNode::object(both), {"AttributesToGet"}, {"ProjectionExpression"},
                         wording);
}

// Where the partition begins that has the key: as partitions are at the moment, or, where nothing
// is counted, as the description implies them.
capacity::Position partition_begin_of(const Table& table, const PrimaryKey& key) {
  const std::uint32_t hash = storage::partition_hash(key.partition);
  if (const auto& state = table.runtime->throughput)
    return state->partitions().range_of({hash, key.sort, key.partition}).begin;
  const std::uint32_t count = partition_count(table, nullptr);
  return {partition_begin(partition_of(hash, count), count), {}};
}

// How much an answer may still take (conformance/observed/paging.md 4).
class AnswerBudget {
 public:
  void next_table(const Table& table) {
    table_ = &table;
    table_bytes_ = 0;
    taken_.clear();
  }

  // Whether there is room for the item. A partition that has given 1 MB gives no more: the item
  // that crossed it is the last one. Once an item does not fit the answer, nothing else does.
  bool take(const PrimaryKey& key, std::size_t size_bytes) {
    if (is_full_) return false;
    if (table_bytes_ >= limits::kBatchGetPartitionBytesMax &&
        partition_bytes(partition_begin_of(*table_, key)) >= limits::kBatchGetPartitionBytesMax)
      return false;
    if (total_bytes_ + size_bytes > limits::kBatchGetBytesMax) {
      is_full_ = true;
      return false;
    }
    total_bytes_ += size_bytes;
    table_bytes_ += size_bytes;
    taken_.push_back({key, size_bytes, {}});
    return true;
  }

 private:
  struct Taken {
    PrimaryKey key;
    std::size_t size_bytes;
    std::optional<capacity::Position> partition;  // found when it is first asked for
  };

  std::size_t partition_bytes(const capacity::Position& partition) {
    std::size_t sum_bytes = 0;
    for (Taken& item : taken_) {
      if (!item.partition) item.partition = partition_begin_of(*table_, item.key);
      if (*item.partition == partition) sum_bytes += item.size_bytes;
    }
    return sum_bytes;
  }

  const Table* table_ = nullptr;
  std::size_t total_bytes_ = 0;
  std::size_t table_bytes_ = 0;
  bool is_full_ = false;
  std::vector<Taken> taken_;  // of the current table
};

// Reads the items of one table after the other and renders those found.
class Lookups {
 public:
  Lookups(const Snapshot& snapshot, JsonWriter& out, Call& call)
      : snapshot_(snapshot), out_(out), call_(call) {}

  void next_table(const Table& table) { budget_.next_table(table); }

  // Records the keys that are left for another request, also those marked as left.
  Result<void> look_up(const TableLookups& lookups, const Table& table,
                       std::span<const PrimaryKey> keys, PartMarks left, PartMarks repeated,
                       std::vector<Item>& unprocessed, ConsumedCapacity& consumed) {
    // Finds all records before the first is rendered, so that the others are prefetched.
    std::vector<std::string_view> records;
    std::size_t found_bytes = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (repeated.has(k)) continue;
      if (left.has(k)) {
        unprocessed.push_back(lookups.keys[k]);
        continue;
      }
      STATOR_TRY(const ItemRead read,
                 read_item(table, keys[k], lookups.consistent_read, snapshot_));
      const std::size_t size_bytes = read.stored.size_bytes();
      STATOR_CHECK(call_.work.go_on(size_bytes));
      if (!budget_.take(keys[k], size_bytes) || !is_admitted(table, read.charge)) {
        unprocessed.push_back(lookups.keys[k]);
        ++call_.undone.parts;
        continue;
      }
      consumed.add(read.charge);
      if (!read.stored.exists()) continue;
      records.push_back(read.stored.record());
      found_bytes += size_bytes;
    }
    if (lookups.projection == nullptr) {
      call_.reply.reserve(call_.reply.size() + found_bytes + found_bytes / 2);
      call_.charge_response();
    }
    for (const std::string_view record : records) {
      STATOR_CHECK(call_.work.go_on(record.size()));
      out_.before_value();
      append_projected_json(call_.reply, record, lookups.projection, call_.arena);
      call_.charge_response();
    }
    return {};
  }

  // Throttling is no error if at least one key was read.
  Result<void> check_any_admitted() && {
    if (has_admitted_ || throttled_.empty()) return {};
    return std::move(throttled_.front());
  }

 private:
  bool is_admitted(const Table& table, const Charge& charge) {
    auto throttled =
        call_.charging.admit({table, {&charge, 1}}, capacity::Dimension::Read, snapshot_.now());
    if (!throttled) return has_admitted_ = true;
    ++call_.undone.throttled;
    if (throttled_.empty()) throttled_.push_back(std::move(*throttled));
    return false;
  }

  const Snapshot& snapshot_;
  JsonWriter& out_;
  Call& call_;
  AnswerBudget budget_;
  bool has_admitted_ = false;
  std::vector<Error> throttled_;  // holds the first one, if any
};

struct BatchGetItem {
  static constexpr std::string_view name = "BatchGetItem";
  static constexpr Layer layer = Layer::Bare;

  struct Request {
    std::span<const TableLookups> tables;
    ReturnConsumedCapacity return_consumed_capacity;
    PartMarks left = {};  // by a fault on demand
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_batch(body, model::kBatchGetItemInput, kClassicShape, call));
    const auto entries = batch_entries(body);
    const auto tables = call.arena.allocate_array<TableLookups>(entries.size());
    call.table_name = entries.front()->name;
    call.consistent_read = false;
    STATOR_CHECK(check_not_mixed_over_tables(entries, call.wording));
    std::size_t keys = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      STATOR_TRY(tables[i], parse_table(*entries[i], call));
      keys += tables[i].keys.size();
      call.consistent_read |= tables[i].consistent_read;
    }
    if (keys > limits::kBatchGetKeysMax) return too_many_items(call);
    return call.arena.make<Request>(tables, parse_return_consumed_capacity(body));
  }

  static Result<TableLookups> parse_table(const JsonMember& entry, Call& call) {
    const JsonNode& node = entry.value;
    STATOR_CHECK(check_projection_parameters(node, call.wording));
    STATOR_TRY(const expr::Projection* projection, parse_lookup_projection(node, call));
    const auto nodes = list_member(node, "Keys");
    const auto keys = call.arena.allocate_array<Item>(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      STATOR_TRY(keys[i], decode_item(nodes[i], call.wording, call.arena));
    }
    if (has_equal_keys(keys)) return duplicate_keys();
    return TableLookups{entry.name, &node, keys,
                        boolean_member(node, "ConsistentRead").value_or(false), projection};
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    std::vector<const Table*> tables;
    for (const TableLookups& lookups : request.tables) {
      STATOR_TRY(const Table* table, snapshot.item_table(call, lookups.table_name));
      tables.push_back(table);
    }
    std::vector<PrimaryKey> keys;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (const Item item : request.tables[i].keys) {
        STATOR_TRY(const PrimaryKey key, key_of_lookup(*tables[i], item));
        keys.push_back(key);
      }
      STATOR_CHECK(check_key_paths(*tables[i], request.tables[i].projection));
    }
    return answer(request, tables, keys, snapshot, call);
  }

  static void resources(const Request& request, Resources& touched) {
    for (const TableLookups& lookups : request.tables) {
      for (const Item key : lookups.keys) {
        Resource& item =
            touched.emplace_back(touched_lookup(lookups.table_name, key, lookups.projection));
        item.return_consumed_capacity = to_text(request.return_consumed_capacity);
      }
    }
  }

  // `keys` are those of all tables, one after the other. A table named twice, by name and by ARN,
  // has one entry in the response, under the name used first, and each item once.
  static Result<void> answer(const Request& request, std::span<const Table* const> tables,
                             std::span<const PrimaryKey> keys, const Snapshot& snapshot,
                             Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Responses");
    out.begin_object();
    Lookups all(snapshot, out, call);
    const PartMarks repeated = repeated_keys(request.tables, tables, keys, call.arena);
    std::vector<TableCapacity> capacities;
    std::vector<std::vector<Item>> unprocessed(tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const auto is_named_before = tables.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(tables.begin(), is_named_before, tables[i]) != is_named_before) continue;
      all.next_table(*tables[i]);
      TableCapacity capacity{request.tables[i].table_name, {}};
      out.key(capacity.table_name);
      out.begin_array();
      std::size_t first = 0;
      for (std::size_t j = 0; j < tables.size(); ++j) {
        const TableLookups& lookups = request.tables[j];
        const auto own_keys = keys.subspan(first, lookups.keys.size());
        const PartMarks left = request.left.from(first);
        const PartMarks own_repeated = repeated.from(first);
        first += lookups.keys.size();
        if (tables[j] != tables[i]) continue;
        STATOR_CHECK(all.look_up(lookups, *tables[j], own_keys, left, own_repeated, unprocessed[j],
                                 capacity.consumed));
      }
      out.end_array();
      capacities.push_back(std::move(capacity));
    }
    STATOR_CHECK(std::move(all).check_any_admitted());
    record_units(call, capacities);
    out.end_object();
    out.key("UnprocessedKeys");
    out.begin_object();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (!unprocessed[i].empty()) write_unprocessed(out, request.tables[i], unprocessed[i]);
    }
    out.end_object();
    write_consumed_capacities(out, request.return_consumed_capacity, capacities);
    out.end_object();
    return {};
  }
};

}  // namespace

void leave_lookups(Call& call, PartMarks marks) { leave_parts<BatchGetItem::Request>(call, marks); }

Operation batch_get_item_row() { return define<BatchGetItem>(); }

}  // namespace stator

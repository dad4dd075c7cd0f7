// BatchWriteItem: up to 25 puts and deletes in any tables. The service writes them one by one; here
// they are one commit, and if one is rejected nothing is written.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/items/duplicate_keys.h"
#include "engine/items/item_keys.h"
#include "engine/items/item_plan.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/batches/batch_requests.h"
#include "engine/operations/batches/part_marks.h"
#include "engine/operations/define.h"
#include "engine/operations/items/collection_metrics.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

struct TableWrites {
  std::string_view table_name;
  std::span<WritePlan> writes;  // puts and deletes
};

// As locate() (engine/items/item_plan.h), but leaves index keys for later, and reports errors in an
// item's key as those of a lookup.
Result<PrimaryKey> key_of(const Table& table, const WritePlan& plan) {
  const auto* put = std::get_if<PutPlan>(&plan);
  return put != nullptr ? key_of_batch_item(table, put->item)
                        : key_of_lookup(table, key_attributes(plan));
}

// A write whose table and key are valid.
struct LocatedWrite {
  const Table* table;
  PrimaryKey key;
  const WritePlan* plan;
};

// A write for UnprocessedItems: throttled, in conflict, or left by a fault on demand.
struct Unprocessed {
  std::string_view table_name;
  const WritePlan* plan;
};

struct Outcome {
  std::vector<Unprocessed> unprocessed;  // by table
  std::vector<TableCapacity> capacities;
  CollectionMetrics collections;
};

struct BatchWriteItem {
  static constexpr std::string_view name = "BatchWriteItem";
  static constexpr Layer layer = Layer::Classic;

  struct Request {
    std::span<const TableWrites> tables;
    ReturnConsumedCapacity return_consumed_capacity;
    bool wants_collection_metrics;
    PartMarks left = {};
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_batch(body, model::kBatchWriteItemInput, model::kBatchWriteItemInput, call));
    const auto entries = batch_entries(body);
    const auto tables = call.arena.allocate_array<TableWrites>(entries.size());
    call.table_name = entries.front()->name;
    std::size_t writes = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto nodes = entries[i]->value.elements();
      tables[i] = {entries[i]->name, call.arena.allocate_array<WritePlan>(nodes.size())};
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        STATOR_TRY(tables[i].writes[k], parse_write(nodes[k], call));
      }
      writes += nodes.size();
    }
    if (writes > limits::kBatchWriteRequestsMax) return too_many_items(call);
    return call.arena.make<Request>(tables, parse_return_consumed_capacity(body),
                                    string_member(body, "ReturnItemCollectionMetrics") == "SIZE");
  }

  static Result<WritePlan> parse_write(const JsonNode& node, Call& call) {
    const JsonNode* put = node.find("PutRequest");
    const JsonNode* erase = node.find("DeleteRequest");
    if ((put == nullptr) == (erase == nullptr)) return several_types_error();
    const JsonNode& attributes = put != nullptr ? *put->find("Item") : *erase->find("Key");
    STATOR_TRY(const Item item, decode_item(attributes, call.wording, call.arena));
    if (put == nullptr) return DeletePlan{item};
    const std::size_t size_bytes = item_size_bytes(item);
    if (size_bytes > limits::kItemBytesMax) return item_too_large();
    return PutPlan{item, size_bytes};
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    std::vector<const Table*> tables;
    for (const TableWrites& entry : request.tables) {
      STATOR_TRY(const Table* table, snapshot.item_table(call, entry.table_name));
      tables.push_back(table);
    }
    STATOR_TRY(const std::vector<LocatedWrite> writes, locate_writes(request, tables));
    return write(request, writes, snapshot, mutation, call);
  }

  static bool only_frees_space(const Request& request) {
    return std::ranges::all_of(request.tables, [](const TableWrites& entry) {
      return std::ranges::all_of(entry.writes, [](const WritePlan& plan) {
        return std::holds_alternative<DeletePlan>(plan);
      });
    });
  }

  static void resources(const Request& request, Resources& touched) {
    for (const TableWrites& entry : request.tables) {
      for (const WritePlan& plan : entry.writes) {
        Resource& item = touched.emplace_back(touched_write(entry.table_name, plan));
        item.action = name;  // that of the batch, whatever its members do
        item.return_consumed_capacity = to_text(request.return_consumed_capacity);
      }
    }
  }

  // Reports two writes of one item before any other error in keys.
  static Result<std::vector<LocatedWrite>> locate_writes(const Request& request,
                                                         std::span<const Table* const> tables) {
    std::vector<LocatedWrite> writes;
    std::optional<Error> first_error;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (const WritePlan& plan : request.tables[i].writes) {
        auto key = key_of(*tables[i], plan);
        if (key) {
          writes.push_back({tables[i], *key, &plan});
          const auto* put = std::get_if<PutPlan>(&plan);
          if (put == nullptr) continue;
          auto checked = check_index_keys(*tables[i], put->item);
          if (!checked && !first_error) first_error = std::move(checked).error();
        } else if (!first_error) {
          first_error = std::move(key).error();
        }
      }
    }
    if (has_duplicates(std::span<const LocatedWrite>(writes))) return duplicate_keys();
    if (first_error) return std::move(*first_error);
    return writes;
  }

  static Result<void> write(const Request& request, std::span<const LocatedWrite> writes,
                            const Snapshot& snapshot, Mutation& mutation, Call& call) {
    Outcome outcome;
    call.undone = {};  // this may run a second time
    bool has_admitted = false;
    std::size_t left = 0;            // by a fault, which is reported as such
    std::optional<Error> throttled;  // the first
    DecidedCollections decided;
    const WriteContext context = write_context(snapshot, mutation, call, &decided);
    auto next = writes.begin();
    for (const TableWrites& entry : request.tables) {
      TableCapacity capacity{entry.table_name, {}};
      for (const auto end = next + std::ssize(entry.writes); next != end; ++next) {
        const auto place = static_cast<std::size_t>(next - writes.begin());
        const bool is_left = request.left.has(place);
        if (is_left || snapshot.is_held({next->table, next->key})) {
          outcome.unprocessed.push_back({entry.table_name, next->plan});
          if (is_left) ++left;
          continue;
        }
        STATOR_TRY(const Decision decision, decide(*next->table, next->key, *next->plan, context));
        STATOR_CHECK(call.work.go_on(steps_of(*next->plan, decision)));
        if (auto refusal = call.charging.admit({*next->table, decision.charges},
                                               capacity::Dimension::Write, snapshot.now())) {
          outcome.unprocessed.push_back({entry.table_name, next->plan});
          ++call.undone.throttled;
          if (!throttled) throttled = std::move(refusal);
          continue;
        }
        has_admitted = true;
        enter(decision, mutation);
        capacity.consumed.add(decision.charges);
        decided.add(decision);
        outcome.collections.add(entry.table_name, decision, key_attributes(*next->plan));
      }
      outcome.capacities.push_back(std::move(capacity));
    }
    if (throttled && !has_admitted) return std::move(*throttled);
    call.undone.parts = static_cast<std::int32_t>(outcome.unprocessed.size() - left);
    record_units(call, outcome.capacities);
    render(request, outcome, call);
    return {};
  }

  static void render(const Request& request, const Outcome& outcome, Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("UnprocessedItems");
    out.begin_object();
    const std::span<const Unprocessed> unprocessed(outcome.unprocessed);
    for (std::size_t i = 0; i < unprocessed.size(); ++i) {
      const bool is_first = i == 0 || unprocessed[i].table_name != unprocessed[i - 1].table_name;
      if (is_first && i > 0) out.end_array();
      if (is_first) {
        out.key(unprocessed[i].table_name);
        out.begin_array();
      }
      write_request(out, *unprocessed[i].plan);
    }
    if (!unprocessed.empty()) out.end_array();
    out.end_object();
    if (request.wants_collection_metrics && !outcome.collections.empty()) {
      out.key("ItemCollectionMetrics");
      outcome.collections.write(out);
    }
    write_consumed_capacities(out, request.return_consumed_capacity, outcome.capacities);
    out.end_object();
  }

  static void write_request(JsonWriter& out, const WritePlan& plan) {
    const bool is_put = std::holds_alternative<PutPlan>(plan);
    out.begin_object();
    out.key(is_put ? "PutRequest" : "DeleteRequest");
    out.begin_object();
    out.key(is_put ? "Item" : "Key");
    out.before_value();
    append_item_json(out.out(), key_attributes(plan));
    out.end_object();
    out.end_object();
  }
};

}  // namespace

void leave_writes(Call& call, PartMarks marks) {
  leave_parts<BatchWriteItem::Request>(call, marks);
}

Operation batch_write_item_row() { return define<BatchWriteItem>(); }

}  // namespace stator

// TransactGetItems: up to 100 items of any tables, from one consistent state.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/items/stored_item.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/define.h"
#include "engine/operations/items/projection_requests.h"
#include "engine/operations/transactions/cancellation.h"
#include "engine/operations/transactions/read_transaction.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

std::optional<Error> find_throttled(std::span<const LocatedKey> keys,
                                    std::span<const ItemRead> items, Timestamp now, Call& call) {
  std::vector<ChargedEvent> events;
  events.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    events.push_back({*keys[i].table, {&items[i].charge, 1}});
  return cancelled_by_throttling(events, capacity::Dimension::Read, now, call);
}

struct TransactGetItems {
  static constexpr std::string_view name = "TransactGetItems";
  static constexpr Layer layer = Layer::Classic;

  struct Request {
    std::span<const GetAction> actions;
    ReturnConsumedCapacity return_consumed_capacity;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kTransactGetItemsInput));
    STATOR_CHECK(check_constraints(body, model::kTransactGetItemsInput, call.wording));
    const auto nodes = list_member(body, "TransactItems");
    const auto actions = call.arena.allocate_array<GetAction>(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const JsonNode& get = *nodes[i].find("Get");
      STATOR_TRY(const Item key, decode_item(*get.find("Key"), call.wording, call.arena));
      STATOR_TRY(const expr::Projection* projection, parse_lookup_projection(get, call));
      actions[i] = {*string_member(get, "TableName"),
                    GetPlan{key, projection, /*is_consistent=*/true}};
    }
    call.table_name = actions.front().table_name;
    return call.arena.make<Request>(actions, parse_return_consumed_capacity(body));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(LocatedActions located, locate_actions(request.actions, snapshot, call));
    if (located.misfit) {
      return cancelled_for(located.misfit->first, std::move(located.misfit->second),
                           request.actions.size(), call);
    }
    if (auto conflicts = find_conflicts(located.keys, snapshot, call)) return std::move(*conflicts);
    TransactionCapacity capacity;
    STATOR_TRY(const std::vector<ItemRead> items,
               read_transaction(request.actions, located.keys, snapshot, call, capacity));
    record_units(call, capacity.tables());
    return render(request, items, capacity, call);
  }

  static void resources(const Request& request, Resources& touched) {
    for (const GetAction& action : request.actions) {
      Resource& item = touched.emplace_back(
          touched_lookup(action.table_name, action.plan.key, action.plan.projection));
      item.action = "GetItem";
      item.enclosing_operation = name;
      item.return_consumed_capacity = to_text(request.return_consumed_capacity);
    }
  }

  static Result<void> render(const Request& request, std::span<const ItemRead> items,
                             const TransactionCapacity& capacity, Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    write_consumed_capacities(out, request.return_consumed_capacity, capacity.tables(),
                              UnitBreakdown::Reads);
    out.key("Responses");
    out.begin_array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      out.begin_object();
      const StoredItem& stored = items[i].stored;
      if (stored.exists()) {
        STATOR_CHECK(call.work.go_on(stored.record().size()));
        write_item(out, stored, request.actions[i].plan.projection, call.arena);
        call.charge_response();
      }
      out.end_object();
    }
    out.end_array();
    out.end_object();
    return {};
  }

  // Unlike in GetItem, an item without any projected attribute is omitted.
  static void write_item(JsonWriter& out, const StoredItem& stored,
                         const expr::Projection* projection, Arena& arena) {
    if (projection == nullptr) {
      out.key("Item");
      out.before_value();
      append_projected_json(out.out(), stored.record(), nullptr, arena);
      return;
    }
    const Item projected = expr::project(*projection, stored.item(arena), arena);
    if (projected.empty()) return;
    out.key("Item");
    out.before_value();
    append_item_json(out.out(), projected);
  }
};

}  // namespace

Result<std::vector<ItemRead>> read_transaction(std::span<const GetAction> actions,
                                               std::span<const LocatedKey> keys,
                                               const Snapshot& snapshot, Call& call,
                                               TransactionCapacity& capacity) {
  std::vector<ItemRead> items;
  items.reserve(keys.size());
  std::size_t total_bytes = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    STATOR_TRY(ItemRead read,
               read_item(*keys[i].table, keys[i].key, /*is_consistent=*/true, snapshot));
    const std::size_t size_bytes = read.stored.size_bytes();
    STATOR_CHECK(call.work.go_on(size_bytes));
    total_bytes += size_bytes;
    if (total_bytes > limits::kTransactionBytesMax) {
      return cancelled_for(i, payload_too_large(total_bytes), keys.size(), call);
    }
    read.charge.units_milli *= 2;
    capacity.add(*keys[i].table, actions[i].table_name, {&read.charge, 1});
    items.push_back(read);
  }
  if (auto throttled = find_throttled(keys, items, snapshot.now(), call))
    return std::move(*throttled);
  call.reply.reserve(total_bytes + total_bytes / 2);
  call.charge_response();
  return items;
}

Operation transact_get_items_row() { return define<TransactGetItems>(); }

}  // namespace stator

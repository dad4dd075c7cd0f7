// GetItem: one item by its primary key.

#include "engine/items/item_plan.h"
#include "engine/items/stored_item.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/define.h"
#include "engine/operations/items/projection_requests.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

struct GetItem {
  static constexpr std::string_view name = "GetItem";
  static constexpr Layer layer = Layer::Bare;

  struct Request {
    std::string_view table_name;
    GetPlan plan;
    ReturnConsumedCapacity return_consumed_capacity;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kGetItemInput));
    STATOR_CHECK(check_constraints(body, model::kGetItemInput, call.wording));
    call.table_name = *string_member(body, "TableName");
    call.consistent_read = boolean_member(body, "ConsistentRead").value_or(false);
    STATOR_CHECK(check_projection_parameters(body, call.wording));
    STATOR_TRY(const Item key, decode_item(*body.find("Key"), call.wording, call.arena));
    STATOR_TRY(const expr::Projection* projection, parse_lookup_projection(body, call));
    return call.arena.make<Request>(call.table_name, GetPlan{key, projection, call.consistent_read},
                                    parse_return_consumed_capacity(body));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, snapshot.item_table(call, request.table_name));
    STATOR_TRY(const PrimaryKey key, locate(*table, request.plan));
    STATOR_TRY(const ItemRead read, read_item(*table, key, request.plan.is_consistent, snapshot));
    if (auto throttled = call.charging.admit({*table, {&read.charge, 1}}, capacity::Dimension::Read,
                                             snapshot.now()))
      return std::move(*throttled);
    record_units(call, request.table_name, {&read.charge, 1});
    JsonWriter out(call.reply);
    out.begin_object();
    if (read.stored.exists()) {
      out.key("Item");
      out.before_value();
      append_projected_json(call.reply, read.stored.record(), request.plan.projection, call.arena);
    }
    write_consumed_capacity(out, request.return_consumed_capacity, request.table_name,
                            {&read.charge, 1});
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    const GetPlan& plan = request.plan;
    Resource& item =
        touched.emplace_back(touched_lookup(request.table_name, plan.key, plan.projection));
    item.return_consumed_capacity = to_text(request.return_consumed_capacity);
  }
};

}  // namespace

Operation get_item_row() { return define<GetItem>(); }

}  // namespace stator

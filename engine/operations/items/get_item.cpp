// GetItem: one item by its primary key.

#include "engine/items/item_keys.h"
#include "engine/items/key_paths.h"
#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "engine/operations/items/projection_requests.h"
#include "protocol/attribute_value.h"
#include "protocol/expression/projection.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kGetItemInput;

struct GetItem {
  static constexpr std::string_view name = "GetItem";
  static constexpr Layer layer = Layer::Bare;

  struct Request {
    std::string_view table_name;
    Item key;
    bool consistent_read;
    ReturnConsumedCapacity return_consumed_capacity;
    const expr::Projection* projection;  // nullptr: the whole item
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
    call.table_name = *string_member(body, "TableName");
    call.consistent_read = boolean_member(body, "ConsistentRead").value_or(false);
    STATOR_CHECK(check_projection_parameters(body, call.wording));
    STATOR_TRY(const Item key, decode_item(*body.find("Key"), call.wording, call.arena));
    STATOR_TRY(const expr::Projection* projection, parse_lookup_projection(body, call));
    return call.arena.make<Request>(call.table_name, key, call.consistent_read,
                                    parse_return_consumed_capacity(body), projection);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, snapshot.item_table(call, request.table_name));
    STATOR_TRY(const PrimaryKey key, key_of_lookup(*table, request.key));
    STATOR_CHECK(check_key_paths(*table, request.projection));
    STATOR_TRY(const StoredItem stored, StoredItem::find(snapshot, *table, key));
    JsonWriter out(call.reply);
    out.begin_object();
    if (stored.exists()) {
      out.key("Item");
      out.before_value();
      append_projected_json(call.reply, stored.record(), request.projection, call.arena);
    }
    ConsumedCapacity consumed;
    consumed.table_units_milli = read_units_milli(stored.size_bytes(), request.consistent_read);
    call.units_milli = consumed.table_units_milli;
    write_consumed_capacity(out, request.return_consumed_capacity, request.table_name, consumed);
    out.end_object();
    return {};
  }
};

}  // namespace

Operation get_item_row() { return define<GetItem>(); }

}  // namespace stator

// GetItem: one item by its primary key. Projections are still to come.
#include <algorithm>
#include <array>
#include <vector>

#include "engine/operations/define.h"
#include "engine/operations/item_requests.h"
#include "engine/operations/rows.h"
#include "engine/operations/shapes.h"
#include "engine/storage/item_codec.h"
#include "protocol/attribute_value.h"

namespace stator {
namespace {

constexpr std::array kFields{
    FieldSpec{"AttributesToGet", &shapes::kAttributesToGet},
    FieldSpec{"ReturnConsumedCapacity", &shapes::kReturnConsumedCapacity},
    FieldSpec{"Key", &kAttributeMapType, true},
    FieldSpec{"TableName", &shapes::kItemTableName, true},
    FieldSpec{"ConsistentRead", &kBooleanType},
    FieldSpec{"ProjectionExpression", &kStringType},
    FieldSpec{"ExpressionAttributeNames", &kStringMapType},
};
constexpr TypeSpec kShape{
    .kind = TypeSpec::Kind::Structure, .name = "GetItemInput", .fields = kFields};

Result<void> check_attributes_to_get(const JsonNode& body) {
  std::vector<std::string_view> names;
  for (const JsonNode& name : list_member(body, "AttributesToGet")) {
    if (std::find(names.begin(), names.end(), name.text()) != names.end()) {
      return Error::validation(std::string(kInvalidParameter) +
                               "Duplicate value in attribute name: " + std::string(name.text()));
    }
    names.push_back(name.text());
  }
  return {};
}

struct GetItem {
  static constexpr std::string_view name = "GetItem";
  static constexpr Access access = Access::Read;
  static constexpr Layer layer = Layer::Bare;

  struct Request {
    std::string_view table_name;
    Item key;
    bool consistent_read;
    ReturnConsumedCapacity return_consumed_capacity;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
    call.table_name = *string_member(body, "TableName");
    STATOR_CHECK(
        check_not_mixed(body, {"AttributesToGet"}, {"ProjectionExpression"}, call.wording));
    STATOR_CHECK(
        check_placeholders_have_expression(body, {"ProjectionExpression"}, {}, call.wording));
    STATOR_TRY(const Item key, decode_item(*body.find("Key"), call.wording, call.arena));
    STATOR_CHECK(check_attributes_to_get(body));
    STATOR_CHECK(refuse_unbuilt(body, {"ProjectionExpression", "AttributesToGet"}));
    return call.arena.make<Request>(call.table_name, key,
                                    boolean_member(body, "ConsistentRead").value_or(false),
                                    parse_return_consumed_capacity(body));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, snapshot.item_table(call, request.table_name));
    STATOR_TRY(const PrimaryKey key, key_of_lookup(*table, request.key));
    STATOR_TRY(const auto record, storage::find_record(snapshot.transaction(),
                                                       {table->space, key.partition, key.sort}));
    JsonWriter out(call.reply);
    out.begin_object();
    ConsumedCapacity consumed;
    if (record) {
      const storage::EncodedItem item(*record);
      consumed.table_units_milli = read_units_milli(item.size_bytes(), request.consistent_read);
      out.key("Item");
      out.before_value();
      item.append_json(call.reply);
    } else {
      consumed.table_units_milli = read_units_milli(0, request.consistent_read);
    }
    call.units_milli = consumed.table_units_milli;
    write_consumed_capacity(out, request.return_consumed_capacity, request.table_name, consumed);
    out.end_object();
    return {};
  }
};

}  // namespace

Operation get_item_row() { return define<GetItem>(); }

}  // namespace stator

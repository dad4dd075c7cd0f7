// GetItem: one item by its primary key.
#include <algorithm>
#include <array>
#include <vector>

#include "engine/operations/define.h"
#include "engine/operations/item_requests.h"
#include "engine/operations/rows.h"
#include "engine/operations/shapes.h"
#include "engine/storage/item_codec.h"
#include "protocol/attribute_value.h"
#include "protocol/expression/paths.h"
#include "protocol/expression/projection.h"

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

// AttributesToGet as a projection of whole attributes, or nullptr.
Result<const expr::Projection*> parse_attributes_to_get(const JsonNode& body, Arena& arena) {
  const auto names = list_member(body, "AttributesToGet");
  if (names.empty()) return nullptr;
  const auto paths = arena.allocate_array<expr::Path>(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i].text();
    const auto same = [&](const JsonNode& other) { return other.text() == name; };
    if (std::any_of(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      return Error::validation(std::string(kInvalidParameter) +
                               "Duplicate value in attribute name: " + std::string(name));
    }
    const auto element = arena.allocate_array<expr::PathElement>(1);
    element[0] = {.text = name, .name = name};
    paths[i] = element;
  }
  const auto sorted = arena.copy(std::span<const expr::Path>(paths));
  std::sort(sorted.begin(), sorted.end(), expr::is_path_before);
  return arena.make<expr::Projection>(paths, sorted);
}

Result<const expr::Projection*> parse_projection_expression(const JsonNode& body, Call& call) {
  const auto text = string_member(body, "ProjectionExpression");
  if (!text) return nullptr;
  STATOR_TRY(auto placeholders, expr::Placeholders::read(body, call.wording, call.arena));
  STATOR_TRY(const expr::Projection* projection,
             expr::parse_projection(*text, placeholders, call.wording, call.arena));
  STATOR_CHECK(placeholders.check_all_used(call.wording));
  return projection;
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
    const expr::Projection* projection;  // nullptr: the whole item
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
    call.table_name = *string_member(body, "TableName");
    STATOR_CHECK(
        check_not_mixed(body, {"AttributesToGet"}, {"ProjectionExpression"}, call.wording));
    STATOR_CHECK(expr::Placeholders::check_wanted(
        body, body.find("ProjectionExpression") != nullptr, {}, call.wording));
    STATOR_TRY(const Item key, decode_item(*body.find("Key"), call.wording, call.arena));
    STATOR_TRY(const expr::Projection* attributes, parse_attributes_to_get(body, call.arena));
    STATOR_TRY(const expr::Projection* projection, parse_projection_expression(body, call));
    return call.arena.make<Request>(
        call.table_name, key, boolean_member(body, "ConsistentRead").value_or(false),
        parse_return_consumed_capacity(body), attributes != nullptr ? attributes : projection);
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
      if (request.projection == nullptr) {
        item.append_json(call.reply);
      } else {
        append_item_json(call.reply,
                         expr::project(*request.projection, item.decode(call.arena), call.arena));
      }
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

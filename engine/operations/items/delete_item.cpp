// DeleteItem: deletes one item by its primary key; a missing item is no error.

#include "engine/items/item_keys.h"
#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/attribute_value.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kDeleteItemInput;

struct DeleteItem {
  static constexpr std::string_view name = "DeleteItem";
  static constexpr Layer layer = Layer::Enveloped;

  struct Request {
    std::string_view table_name;
    Item key;
    const expr::Condition* condition;
    WriteAnswer answer;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
    call.table_name = *string_member(body, "TableName");
    STATOR_CHECK(check_condition_parameters(body, call.wording));
    STATOR_TRY(const Item key, decode_item(*body.find("Key"), call.wording, call.arena));
    STATOR_TRY(const WriteAnswer answer, parse_write_answer(body, call.wording));
    STATOR_TRY(const expr::Condition* condition, parse_write_condition(body, call));
    return call.arena.make<Request>(call.table_name, key, condition, answer);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, snapshot.item_table(call, request.table_name));
    STATOR_TRY(const PrimaryKey key, key_of_lookup(*table, request.key));
    STATOR_TRY(const StoredItem before, StoredItem::find(snapshot, *table, key));
    STATOR_CHECK(check_condition(request.condition, request.answer, before,
                                 /*after_size_bytes=*/0, call));
    const ItemChange change{.table = *table, .key = key, .before = before};
    STATOR_TRY(const WriteOutcome outcome, write_item(change, snapshot, mutation, call));
    render_write(request.answer, request.table_name, change, request.key, outcome, call);
    return {};
  }
};

}  // namespace

Operation delete_item_row() { return define<DeleteItem>(); }

}  // namespace stator

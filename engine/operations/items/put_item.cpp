// PutItem: writes or replaces a whole item.

#include "engine/items/item_keys.h"
#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/attribute_value.h"
#include "protocol/item_size.h"
#include "protocol/limits.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kPutItemInput;

struct PutItem {
  static constexpr std::string_view name = "PutItem";
  static constexpr Layer layer = Layer::Enveloped;

  struct Request {
    std::string_view table_name;
    Item item;
    std::size_t item_size_bytes;
    const expr::Condition* condition;
    WriteAnswer answer;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
    call.table_name = *string_member(body, "TableName");
    // Misused parameters come before the item's values in the classic wording, after them in the
    // new one.
    if (!call.wording.is_new()) STATOR_CHECK(check_condition_parameters(body, call.wording));
    STATOR_TRY(const Item item, decode_item(*body.find("Item"), call.wording, call.arena));
    if (call.wording.is_new()) STATOR_CHECK(check_condition_parameters(body, call.wording));
    STATOR_TRY(const WriteAnswer answer, parse_write_answer(body, call.wording));
    const std::size_t size_bytes = item_size_bytes(item);
    if (size_bytes > limits::kItemBytesMax) {
      return Error::validation(std::string(kItemTooLarge));
    }
    STATOR_TRY(const expr::Condition* condition, parse_write_condition(body, call));
    return call.arena.make<Request>(call.table_name, item, size_bytes, condition, answer);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, snapshot.item_table(call, request.table_name));
    STATOR_TRY(const PrimaryKey key, key_of_item(*table, request.item));
    STATOR_CHECK(check_index_keys(*table, request.item));
    STATOR_TRY(const StoredItem before, StoredItem::find(snapshot, *table, key));
    STATOR_CHECK(
        check_condition(request.condition, request.answer, before, request.item_size_bytes, call));
    const ItemChange change{.table = *table,
                            .key = key,
                            .before = before,
                            .after = &request.item,
                            .after_size_bytes = request.item_size_bytes};
    STATOR_TRY(const WriteOutcome outcome, write_item(change, snapshot, mutation, call));
    render_write(request.answer, request.table_name, change, request.item, outcome, call);
    return {};
  }
};

}  // namespace

Operation put_item_row() { return define<PutItem>(); }

}  // namespace stator

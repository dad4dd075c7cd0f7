// PutItem: writes or replaces a whole item.

#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

struct PutItem : WriteOperation {
  static constexpr std::string_view name = "PutItem";
  static constexpr Layer layer = Layer::Enveloped;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    call.wording.omits_expression_size = call.wording.is_new();
    STATOR_CHECK(check_types(body, model::kPutItemInput));
    STATOR_CHECK(check_constraints(body, model::kPutItemInput, call.wording));
    call.table_name = *string_member(body, "TableName");
    // Errors in the use of parameters come before the item's values in the classic wording, after
    // them in the new one.
    if (!call.wording.is_new()) STATOR_CHECK(check_condition_parameters(body, call.wording));
    STATOR_TRY(const Item item, decode_item(*body.find("Item"), call.wording, call.arena));
    if (call.wording.is_new()) STATOR_CHECK(check_condition_parameters(body, call.wording));
    STATOR_TRY(const WriteAnswer answer, parse_write_answer(body, call.wording));
    const std::size_t size_bytes = item_size_bytes(item);
    if (size_bytes > limits::kItemBytesMax) {
      return item_too_large();
    }
    STATOR_TRY(const expr::Condition* condition, parse_write_condition(body, call));
    return call.arena.make<Request>(call.table_name, PutPlan{item, size_bytes, condition}, answer);
  }
};

}  // namespace

Operation put_item_row() { return define<PutItem>(); }

}  // namespace stator

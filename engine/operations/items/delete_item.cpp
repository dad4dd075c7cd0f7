// DeleteItem: deletes one item by its primary key; a missing item is no error.

#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

struct DeleteItem : WriteOperation {
  static constexpr std::string_view name = "DeleteItem";
  static constexpr Layer layer = Layer::Enveloped;
  static constexpr bool only_frees_space = true;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kDeleteItemInput));
    STATOR_CHECK(check_constraints(body, model::kDeleteItemInput, call.wording));
    call.table_name = *string_member(body, "TableName");
    STATOR_CHECK(check_condition_parameters(body, call.wording));
    STATOR_TRY(const Item key, decode_item(*body.find("Key"), call.wording, call.arena));
    STATOR_TRY(const WriteAnswer answer, parse_write_answer(body, call.wording));
    STATOR_TRY(const expr::Condition* condition, parse_write_condition(body, call));
    return call.arena.make<Request>(call.table_name, DeletePlan{key, condition}, answer);
  }
};

}  // namespace

Operation delete_item_row() { return define<DeleteItem>(); }

}  // namespace stator

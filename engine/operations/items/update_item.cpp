// UpdateItem: changes attributes of one item by an UpdateExpression or by AttributeUpdates. An item
// that does not exist is created, unless all there is to do is to take something away.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "engine/items/item_keys.h"
#include "engine/items/update_checks.h"
#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "protocol/attribute_value.h"
#include "protocol/expression/legacy_conditions.h"
#include "protocol/expression/legacy_updates.h"
#include "protocol/expression/update.h"
#include "protocol/item_size.h"
#include "protocol/limits.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr std::string_view kUpdateTooLarge =
    "Item size to update has exceeded the maximum allowed size";

constexpr const TypeSpec& kShape = model::kUpdateItemInput;

// Without a Key the service falls back to the classic wording of constraints.
Wording constraint_wording(const JsonNode& body, Wording wording) {
  if (body.find("Key") == nullptr) wording.layer = Layer::Classic;
  return wording;
}

Result<void> check_parameters(const JsonNode& body, Wording wording) {
  STATOR_CHECK(check_not_mixed(body, {"AttributeUpdates", "Expected", "ConditionalOperator"},
                               {"UpdateExpression", "ConditionExpression"}, wording));
  const bool has_expression =
      body.find("UpdateExpression") != nullptr || body.find("ConditionExpression") != nullptr;
  return expr::Placeholders::check_wanted(
      body, has_expression,
      has_expression ? "" : "UpdateExpression and ConditionExpression are null", wording);
}

// What is to be done, and whether.
struct Plan {
  const expr::Update* update = nullptr;        // nullptr: nothing but to create the item
  const expr::Condition* condition = nullptr;  // nullptr: in any case
};

Result<void> parse_expressions(const JsonNode& body, Call& call, Plan& plan) {
  const auto update = string_member(body, "UpdateExpression");
  const auto condition = string_member(body, "ConditionExpression");
  if (!update && !condition) return {};
  STATOR_TRY(auto placeholders,
             expr::Placeholders::read(body, call.wording, call.arena, call.expressions));
  if (update) {
    STATOR_TRY(plan.update, expr::parse_update(*update, placeholders, call.wording, call.arena));
  }
  if (condition) {
    STATOR_TRY(plan.condition, expr::parse_condition(*condition, "ConditionExpression",
                                                     placeholders, call.wording, call.arena));
  }
  return placeholders.check_all_used(call.wording);
}

std::size_t key_size_bytes(const Table& table, Item item) {
  const auto size_bytes = [&](const KeyAttribute& key) {
    return key.name.size() + value_size_bytes(*find_attribute(item, key.name));
  };
  return size_bytes(table.partition_key) + (table.sort_key ? size_bytes(*table.sort_key) : 0);
}

// The service measures the update too: its cost takes the place of the key attributes.
Result<void> check_size(const Table& table, const expr::Update& update, Item after,
                        std::size_t after_size_bytes) {
  const std::size_t measured_bytes =
      std::max(after_size_bytes,
               after_size_bytes - key_size_bytes(table, after) + expr::update_cost_bytes(update));
  if (measured_bytes <= limits::kItemBytesMax) return {};
  return Error::validation(std::string(kUpdateTooLarge));
}

// An update that gives no attribute a value leaves an item missing that is missing. One without any
// action creates it.
bool can_create(const expr::Update* update) {
  return update == nullptr || update->targets.empty() || !update->sets.empty() ||
         !update->adds.empty();
}

struct UpdateItem {
  static constexpr std::string_view name = "UpdateItem";
  static constexpr Layer layer = Layer::Enveloped;

  struct Request {
    std::string_view table_name;
    Item key;
    Plan plan;
    WriteAnswer answer;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, constraint_wording(body, call.wording)));
    call.table_name = *string_member(body, "TableName");
    STATOR_CHECK(check_parameters(body, call.wording));
    STATOR_TRY(const Item key, decode_item(*body.find("Key"), call.wording, call.arena));
    Plan plan;
    STATOR_TRY(plan.update, expr::read_attribute_updates(body, call.wording, call.arena));
    STATOR_TRY(plan.condition, expr::read_expected(body, call.wording, call.arena));
    STATOR_CHECK(parse_expressions(body, call, plan));
    return call.arena.make<Request>(call.table_name, key, plan, parse_update_answer(body));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const expr::Update* const update = request.plan.update;
    STATOR_TRY(const Table* table, snapshot.item_table(call, request.table_name));
    STATOR_TRY(const PrimaryKey key, key_of_lookup(*table, request.key));
    if (update != nullptr) STATOR_CHECK(check_update_of_keys(*table, *update));
    STATOR_TRY(const StoredItem before, StoredItem::find(snapshot, *table, key));

    // The update comes before the condition, because a failed one costs what its item would.
    const Item base = before.exists() ? before.item(call.arena) : request.key;
    Result<Item> applied =
        update != nullptr ? expr::apply_update(*update, base, before.exists(), call.arena) : base;
    const std::size_t after_size_bytes = applied ? item_size_bytes(*applied) : before.size_bytes();
    STATOR_CHECK(
        check_condition(request.plan.condition, request.answer, before, after_size_bytes, call));
    STATOR_TRY(const Item after, std::move(applied));
    if (update != nullptr) {
      STATOR_CHECK(check_updated_index_keys(*table, *update, after));
      STATOR_CHECK(check_size(*table, *update, after, after_size_bytes));
    }

    const bool exists_after = before.exists() || can_create(update);
    const ItemChange change{.table = *table,
                            .key = key,
                            .before = before,
                            .after = exists_after ? &after : nullptr,
                            .after_size_bytes = after_size_bytes,
                            .too_large = kUpdateTooLarge};
    STATOR_TRY(const WriteOutcome outcome, write_item(change, snapshot, mutation, call));
    render_write(request.answer, request.table_name, change, request.key, outcome, call,
                 returned(request, before, exists_after ? after : Item(), call.arena));
    return {};
  }

  // The attributes to be answered; ALL_OLD needs none.
  static Item returned(const Request& request, const StoredItem& before, Item after, Arena& arena) {
    const expr::Update* const update = request.plan.update;
    switch (request.answer.returns) {
      case ReturnValues::AllNew:
        return after;
      case ReturnValues::UpdatedOld:
        return update == nullptr ? Item() : expr::targeted_part(*update, before.item(arena), arena);
      case ReturnValues::UpdatedNew:
        return update == nullptr ? Item() : expr::targeted_part(*update, after, arena);
      case ReturnValues::None:
      case ReturnValues::AllOld:
        break;
    }
    return {};
  }
};

}  // namespace

Operation update_item_row() { return define<UpdateItem>(); }

}  // namespace stator

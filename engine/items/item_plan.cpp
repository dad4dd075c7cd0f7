#include "engine/items/item_plan.h"

#include "engine/items/item_keys.h"
#include "engine/items/key_paths.h"
#include "engine/items/update_checks.h"
#include "protocol/errors/rule.h"

namespace stator {

Error item_too_large() {
  return Error::validation("Item size has exceeded the maximum allowed size")
      .with_rule(Rule::ItemSize);
}

Item key_attributes(const WritePlan& plan) {
  if (const auto* put = std::get_if<PutPlan>(&plan)) return put->item;
  if (const auto* update = std::get_if<UpdatePlan>(&plan)) return update->key;
  if (const auto* erase = std::get_if<DeletePlan>(&plan)) return erase->key;
  return std::get<CheckPlan>(plan).key;
}

Result<void> check_keys_not_empty(const Table& table, const WritePlan& plan) {
  STATOR_CHECK(check_keys_not_empty(table, key_attributes(plan)));
  if (const auto* put = std::get_if<PutPlan>(&plan))
    return check_index_keys_not_empty(table, put->item);
  if (const auto* update = std::get_if<UpdatePlan>(&plan); update && update->update != nullptr)
    return check_index_keys_not_empty(table, *update->update);
  return {};
}

Result<void> check_keys_not_empty(const Table& table, const GetPlan& plan) {
  return check_keys_not_empty(table, plan.key);
}

Result<PrimaryKey> locate(const Table& table, const WritePlan& plan) {
  if (const auto* put = std::get_if<PutPlan>(&plan)) {
    STATOR_TRY(const PrimaryKey key, key_of_item(table, put->item));
    STATOR_CHECK(check_index_keys(table, put->item));
    return key;
  }
  STATOR_TRY(const PrimaryKey key, key_of_lookup(table, key_attributes(plan)));
  if (const auto* update = std::get_if<UpdatePlan>(&plan); update && update->update != nullptr) {
    STATOR_CHECK(check_update_of_keys(table, *update->update));
  }
  return key;
}

Result<PrimaryKey> locate(const Table& table, const GetPlan& plan) {
  STATOR_TRY(const PrimaryKey key, key_of_lookup(table, plan.key));
  STATOR_CHECK(check_key_paths(table, plan.projection));
  return key;
}

}  // namespace stator

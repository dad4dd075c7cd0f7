#include "engine/operations/partiql/write_answers.h"

#include "engine/operations/items/item_answers.h"
#include "protocol/expression/update.h"

namespace stator {

Item returned_item(const partiql::Lowered& statement, const Decision& decision, Arena& arena) {
  if (!statement.returning) return {};
  const Item whole =
      statement.returning->is_old ? decision.before.item(arena) : decision.after.value_or(Item());
  if (statement.returning->is_all || statement.update == nullptr) return whole;
  return expr::targeted_part(*statement.update, whole, arena);
}

Error statement_failed(const partiql::Lowered& statement, const Decision& decision, bool shows_item,
                       Wording wording) {
  if (statement.kind != partiql::Statement::Kind::Insert)
    return condition_failed(decision, shows_item, wording);
  return duplicate_item();
}

}  // namespace stator

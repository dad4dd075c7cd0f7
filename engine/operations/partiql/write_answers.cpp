#include "engine/operations/partiql/write_answers.h"

#include "engine/operations/items/item_answers.h"
#include "engine/storage/records/item_codec.h"

namespace stator {

ReturnedItem::ReturnedItem(const partiql::Lowered& statement, const Decision& decision,
                           Arena& arena) {
  if (!statement.returning) return;
  const bool is_old = statement.returning->is_old;
  if (statement.returning->is_all || statement.update == nullptr) {
    record_ = is_old ? record_before(decision) : record_after(decision);
  } else {
    part_ = updated_part(*statement.update, is_old, decision, arena);
  }
}

void ReturnedItem::append_json(std::string& out) const {
  if (record_) return storage::EncodedItem(*record_).append_json(out);
  append_item_json(out, part_);
}

Error statement_failed(const partiql::Lowered& statement, const Decision& decision, bool shows_item,
                       Wording wording) {
  if (statement.kind != partiql::Statement::Kind::Insert)
    return condition_failed(decision, shows_item, wording);
  return duplicate_item();
}

}  // namespace stator

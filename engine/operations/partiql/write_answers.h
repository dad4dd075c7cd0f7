// What statements that write answer of their item.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/items/item_decision.h"
#include "protocol/arena.h"
#include "protocol/error.h"
#include "protocol/partiql/lowering.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator {

// The JSON of what RETURNING asks for, or nothing when there is no such item, or nothing of it.
class ReturnedItem {
 public:
  // REQUIRES: the decision's condition holds.
  ReturnedItem(const partiql::Lowered& statement, const Decision& decision, Arena& arena);

  bool is_empty() const { return !record_ && part_.empty(); }
  void append_json(std::string& out) const;

 private:
  std::optional<std::string_view> record_;  // of the whole item
  Item part_;
};

// Why the statement did nothing. REQUIRES: the decision's condition failed.
Error statement_failed(const partiql::Lowered& statement, const Decision& decision, bool shows_item,
                       Wording wording);

}  // namespace stator

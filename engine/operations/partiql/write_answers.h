// Results of statements that write one item.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/items/item_decision.h"
#include "protocol/errors/error.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/lowering.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator {

// The JSON for RETURNING; empty if the item, or the requested part of it, does not exist.
class ReturnedItem {
 public:
  // REQUIRES: the decision's condition holds.
  ReturnedItem(const partiql::Lowered& statement, const Decision& decision, Arena& arena);

  bool is_empty() const { return !record_ && part_.empty(); }
  void append_json(std::string& out) const;

 private:
  std::optional<std::string_view> record_;  // the whole item's
  Item part_;
};

// Why the statement changed nothing. REQUIRES: the decision's condition failed.
Error statement_failed(const partiql::Lowered& statement, const Decision& decision, bool shows_item,
                       Wording wording);

}  // namespace stator

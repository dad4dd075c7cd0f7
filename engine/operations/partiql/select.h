// SELECT: pages of what it finds.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "engine/call/call.h"
#include "engine/items/stored_item.h"
#include "engine/operations/partiql/statement_request.h"
#include "engine/operations/request_members.h"
#include "engine/state/snapshot.h"
#include "protocol/arena.h"
#include "protocol/json_writer.h"
#include "protocol/partiql/lowering.h"
#include "protocol/result.h"

namespace stator {

struct SelectOptions {
  bool is_consistent = false;
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // of items evaluated
  std::optional<std::string_view> next_token = {};
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
};

// Answers with a page.
Result<void> select_page(const StatementRequest& request, const SelectOptions& options,
                         const Snapshot& snapshot, Call& call);

// Why a statement that has a `refusal` is refused.
Error refusal(const partiql::Lowered& statement, const Snapshot& snapshot, Call& call);

// Error: it reads an index of which a key has several attributes. That there is such an index is
// for others to check.
Result<void> check_single_keys(const partiql::Lowered& statement, const Table& table,
                               Timestamp now);

// Whether anything of the item is among the statement's columns.
bool has_any_column(const StoredItem& stored, const partiql::Lowered& statement, Arena& scratch);

// The columns of a record, an object. `columns` empty: all attributes.
void write_columns(JsonWriter& out, std::string_view record,
                   std::span<const partiql::Column> columns, Arena& scratch);

}  // namespace stator

// SELECT: returns pages of matching items.
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
#include "protocol/errors/result.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/lowering.h"

namespace stator {

struct SelectOptions {
  bool is_consistent = false;
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // items evaluated
  std::optional<std::string_view> next_token = {};
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
};

// Renders a page as the response.
Result<void> select_page(const StatementRequest& request, const SelectOptions& options,
                         const Snapshot& snapshot, Call& call);

// Builds the error for a statement whose `refusal` is set.
Error refusal(const partiql::Lowered& statement, const Snapshot& snapshot, Call& call);

// Error if the statement reads an index with several attributes in a key. Other checks report a
// missing index.
Result<void> check_single_keys(const partiql::Lowered& statement, const Table& table,
                               Timestamp now);

// Whether the item has any of the statement's columns.
bool has_any_column(const StoredItem& stored, const partiql::Lowered& statement, Arena& scratch);

// Writes the columns of a record as an object. Empty `columns` means all attributes.
void write_columns(JsonWriter& out, std::string_view record,
                   std::span<const partiql::Column> columns, Arena& scratch);

}  // namespace stator

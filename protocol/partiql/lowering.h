// A statement with its parameters, as the plain trees and values that all operations use. What
// depends on the table's keys is still to be found out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/projection.h"
#include "protocol/partiql/tree.h"
#include "protocol/result.h"
#include "protocol/value.h"

namespace stator::partiql {

// What a SELECT shows of an item: what a path leads to, under the path's last part.
struct Column {
  std::string_view name;
  expr::Path path;
};

struct SortKey {
  std::string_view name;
  bool is_descending;
};

// Lives in an arena and refers to the parameters' values, not to the statement.
struct Lowered {
  Statement::Kind kind = Statement::Kind::Select;
  std::string_view table;
  std::optional<std::string_view> index;         // of a SELECT alone
  expr::Condition* where = nullptr;              // nullptr: there is none
  std::span<const Column> columns = {};          // empty: all there is
  const expr::Projection* projection = nullptr;  // the columns' paths
  std::span<const SortKey> order = {};
  Item item = {};                        // Insert
  const expr::Update* update = nullptr;  // Update
  std::optional<Returning> returning = {};
  bool has_or = false;  // anywhere in WHERE
  // Of a SELECT from an index: the ValidationException that its shape is refused with once the
  // index was looked at; then not all members behind `index` are there. Empty: it is not refused.
  std::string_view refusal = {};

  bool is_read() const { return kind == Statement::Kind::Select; }
};

// Every error that needs no stored data, in the order of conformance/observed/partiql.md 3; of a
// SELECT from an index those of its shape are left in `refusal`.
Result<const Lowered*> lower(const Statement& statement, std::span<const Value> parameters,
                             Arena& arena);

}  // namespace stator::partiql

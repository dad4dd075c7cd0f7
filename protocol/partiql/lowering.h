// Converts a statement with its parameters to the plain trees and values that all operations use.
// Checks that depend on the table's keys come later.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/errors/stored_error.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/tree.h"
#include "protocol/values/value.h"

namespace stator::partiql {

// An attribute that a SELECT returns: the value at `path`, named by the path's last part.
struct Column {
  std::string_view name;
  expr::Path path;
};

struct SortKey {
  std::string_view name;
  bool is_descending;
};

// A lowered statement. Lives in an arena; refers to the parameters' values, not to the statement.
struct Lowered {
  Statement::Kind kind = Statement::Kind::Select;
  std::string_view table;
  std::optional<std::string_view> index;         // SELECT only
  expr::Condition* where = nullptr;              // nullptr if none
  std::span<const Column> columns = {};          // empty: all attributes
  const expr::Projection* projection = nullptr;  // the columns' paths
  std::span<const SortKey> order = {};
  Item item = {};                        // Insert
  const expr::Update* update = nullptr;  // Update
  std::optional<Returning> returning = {};
  bool has_or = false;  // anywhere in WHERE
  // SELECT from an index: the error of its shape, due after the index was looked up; the members
  // after `index` are then incomplete. nullptr if the shape is valid.
  const StoredError* refusal = nullptr;

  bool is_read() const { return kind == Statement::Kind::Select; }
};

// Reports every error that needs no stored data, in the order of conformance/observed/partiql.md 3.
// For a SELECT from an index, puts errors of its shape into `refusal`.
Result<const Lowered*> lower(const Statement& statement, std::span<const Value> parameters,
                             Arena& arena);

}  // namespace stator::partiql

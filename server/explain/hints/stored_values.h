// Data of tables, for hints: a few items, the item of a request, and values as text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/table_view.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

// Limits on what a hint reads from a table.
inline constexpr TableView::ItemLimits kItemsSeen{.items_max = 100, .bytes_max = 256 * 1024};

// As TableView::find_item(), for attributes in JSON. Returns nothing if these are no attributes.
std::optional<Item> stored_item(const TableView& tables, const Table& table,
                                const JsonNode* attributes, bool is_item, Arena& arena);

// As shown_value(), for hints.
std::string value_text(const Value& value);
// a.b[1]
std::string plain_path(expr::Path path);

}  // namespace stator

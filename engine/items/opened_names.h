// Which attributes of a stored item an update is decided from. The others need not be looked at:
// they are in the item afterwards as they were.
#pragma once

#include <span>
#include <string_view>

#include "engine/schema/table.h"
#include "protocol/arena.h"
#include "protocol/expression/ast.h"

namespace stator {

struct Opened {
  std::span<const std::string_view> names;  // of attributes, sorted, without duplicates
  std::span<const expr::Path> paths;        // into them, sorted (protocol/expression/paths.h)
};

// The attributes that the update changes or reads (nullptr: none), and what the table's indexes
// hold of an item that they do not hold whole. In the arena; refers to the table and to the update.
Opened opened_by(const Table& table, const expr::Update* update, Arena& arena);

// Likewise, the names of those that the update changes.
std::span<const std::string_view> target_names(const expr::Update& update, Arena& arena);

}  // namespace stator

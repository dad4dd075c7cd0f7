// Which attributes of a stored item an update needs decoded. All others stay in the item as they
// are, unread.
#pragma once

#include <span>
#include <string_view>

#include "engine/schema/table.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"

namespace stator {

struct TouchedAttributes {
  std::span<const std::string_view> names;  // of attributes; sorted, without duplicates
  std::span<const expr::Path>
      paths;  // paths into them, sorted (protocol/expression/resolution/paths.h)
};

// The attributes that the update (nullptr: none) changes or reads, and those that the table's
// indexes store, unless an index stores the whole item. In the arena; refers to the table and to
// the update.
TouchedAttributes opened_by(const Table& table, const expr::Update* update, Arena& arena);

// The sorted names of the attributes that the update changes.
std::span<const std::string_view> target_names(const expr::Update& update, Arena& arena);

}  // namespace stator

// The bytes of a table's description.
#pragma once

#include <optional>
#include <string>

#include "engine/schema/table.h"
#include "engine/storage/table_codec.h"

namespace stator {

// The table as kept in the Tables database: JSON, so that members can be added without a new
// format.
std::string encode_table(const Table& table);
// Empty when the text is not such a table (a damaged or foreign file).
std::optional<Table> decode_table(std::string text);

}  // namespace stator

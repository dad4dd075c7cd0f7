// Writes the member KeySchema of a table, an index or a stream.
#pragma once

#include <optional>
#include <span>

#include "engine/schema/table.h"
#include "protocol/json/json_writer.h"

namespace stator {

void write_key_schema(JsonWriter& out, std::span<const KeyAttribute> partition_keys,
                      std::span<const KeyAttribute> sort_keys);
// With the keys of a table itself.
void write_key_schema(JsonWriter& out, const KeyAttribute& partition_key,
                      const std::optional<KeyAttribute>& sort_key);

}  // namespace stator

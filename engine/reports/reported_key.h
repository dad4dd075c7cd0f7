// Keys as the throughput knows them, bytes that may be cut, made into values again.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/schema/table.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

struct ReportedKey {
  Value value;  // of the only attribute, or a list of the values of several
  bool is_cut = false;
};

// `types` are those of the key's attributes, in the order of the schema. The value is a view of
// `bytes` and `arena`. Of a text that is cut it has the whole characters.
ReportedKey reported_key(std::span<const Type> types, std::string_view bytes, bool is_cut,
                         Arena& arena);
// As above, for a partition key from a KeySketch, which has a byte more of a key that is too long.
ReportedKey reported_partition_key(std::span<const Type> types, std::string_view bytes,
                                   Arena& arena);
// That key as text, by shown_key().
std::string shown_partition_key(std::span<const Type> types, std::string_view bytes);

// The key of an item as on the wire, {"pk":{"S":"a"}}. `partition` and `sort` are its ordered
// bytes.
std::string item_key_json(const KeyAttribute& partition_key,
                          const std::optional<KeyAttribute>& sort_key, std::string_view partition,
                          std::string_view sort);

// As above, from the item's record. A key attribute that the record lacks is left out.
std::string item_key_json(const Table& table, std::string_view record, Arena& arena);

}  // namespace stator

// Keys as the throughput knows them, bytes that may be cut, made into values again.
#pragma once

#include <span>
#include <string>
#include <string_view>

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

}  // namespace stator

// Expiry entries: which entry (engine/storage/expiries.h) an item has in a table with time to live,
// and what a change of the item means for it. Nothing is entered here.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/state/primary_key.h"

namespace stator {

// The first second at which the item of that record is expired, Unix time (engine/schema/expiry.h);
// empty: never.
std::optional<std::uint64_t> expiry_due_s(const TimeToLive& expiry, std::string_view record);

// What a write of an item, from one record to the other (empty: no item), means for its entry.
// Empty: nothing, or the table has none. Refers to the key.
std::optional<Mutation::ExpiryChange> expiry_change(const Table& table, const PrimaryKey& key,
                                                    std::optional<std::string_view> before,
                                                    std::optional<std::string_view> after);

}  // namespace stator

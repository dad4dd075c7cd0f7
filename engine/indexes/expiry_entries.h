// Expiry entries: which entry (engine/storage/stores/expiries.h) an item has in a table with time
// to live, and how a change of the item changes it. Stages nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/catalog/primary_key.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"

namespace stator {

// The first second at which the item of the record counts as expired, in Unix time
// (engine/schema/expiry.h); empty: never.
std::optional<std::uint64_t> expiry_due_s(const TimeToLive& expiry, std::string_view record);

// How a write changes the expiry entry of an item; empty if it does not, or the table has no
// entries. `before` and `after` are the records; empty if there is no item. Refers to the key.
std::optional<Mutation::ExpiryChange> expiry_change(const Table& table, const PrimaryKey& key,
                                                    std::optional<std::string_view> before,
                                                    std::optional<std::string_view> after);

}  // namespace stator

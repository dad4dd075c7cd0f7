// Expiries: the items of a table with time to live that may expire, in the order of the second at
// which they do. engine/storage/FORMAT.md draws the entries.
//
// Each enabling gives the table a new space for these entries, one per item. An item's commit
// maintains its entry (engine/indexes/expiry_entries.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator::storage {

struct Expiry {
  SpaceId space{};             // TimeToLive::space of the table
  std::uint64_t due_s = 0;     // Unix time
  std::string_view partition;  // from the item's key
  std::string_view sort;
};

Result<void> put_expiry(WriteTransaction& transaction, const Expiry& expiry);
// No-op if absent.
Result<void> erase_expiry(WriteTransaction& transaction, const Expiry& expiry);

// Whether exactly this entry exists.
Result<bool> has_expiry(const Transaction& transaction, const Expiry& expiry);

// The first entry of the space due at `due_s` or later; empty if none. Its views are valid like the
// transaction's other views.
Result<std::optional<Expiry>> first_expiry(const Transaction& transaction, SpaceId space,
                                           std::uint64_t due_s);
// The entry after `expiry` in its space; empty if none.
Result<std::optional<Expiry>> next_expiry(const Transaction& transaction, const Expiry& expiry);

}  // namespace stator::storage

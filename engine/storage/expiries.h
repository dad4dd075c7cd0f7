// Expiries: which items of a table with time to live may expire, in the order of the second at
// which they do. Drawn in FORMAT.md.
//
// Each time that it is enabled, a table gets a space for these entries; one entry for an item. They
// are kept in the item's commit (engine/indexes/expiry_entries.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

struct Expiry {
  SpaceId space{};             // TimeToLive::space of the table
  std::uint64_t due_s = 0;     // Unix time
  std::string_view partition;  // of the item's key
  std::string_view sort;
};

Result<void> put_expiry(WriteTransaction& transaction, const Expiry& expiry);
// No-op when there is none.
Result<void> erase_expiry(WriteTransaction& transaction, const Expiry& expiry);

// Whether there is this very entry.
Result<bool> has_expiry(const Transaction& transaction, const Expiry& expiry);

// The first entry of the space that is due at `due_s` or later, or empty. Its views are valid as
// the transaction's other views.
Result<std::optional<Expiry>> first_expiry(const Transaction& transaction, SpaceId space,
                                           std::uint64_t due_s);
// The one behind `expiry`, in whose space, likewise.
Result<std::optional<Expiry>> next_expiry(const Transaction& transaction, const Expiry& expiry);

}  // namespace stator::storage

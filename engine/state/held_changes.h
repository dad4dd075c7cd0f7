// Changes of global indexes that are held back (Settings::gsi_delay): written in their item's
// commit to the database IndexChanges, applied when they are due, in the order they were made
// (engine/storage/FORMAT.md draws the bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "engine/state/mutation.h"
#include "engine/storage/transaction.h"
#include "protocol/arena.h"
#include "protocol/result.h"

namespace stator {

// The number the next change gets: changes are applied in the order of their numbers. Kept in the
// Meta database, so that a number is never used twice.
Result<std::uint64_t> next_change_number(const storage::Transaction& transaction);
Result<void> put_next_change_number(storage::WriteTransaction& transaction, std::uint64_t number);

// Writes one change under its number.
Result<void> hold_change(storage::WriteTransaction& transaction, std::uint64_t number,
                         Timestamp due, const Mutation::EntryChange& change);

// When the first of the changes that are held back is due; empty without any. A later change is
// not applied before it, whatever the clock did in between.
Result<std::optional<Timestamp>> first_change_due(const storage::Transaction& transaction);

struct TakenChanges {
  std::size_t count = 0;
  std::string last_key;  // of the last one; for erase_changes()
};

// Enters changes due at `now` into the mutation, the oldest first, until there are `count_max` or
// `bytes_max` bytes of them. Changes of a space that `is_wanted` refuses are left out. What the
// mutation refers to lives in `arena`.
template <class IsWanted>
Result<TakenChanges> take_due_changes(const storage::Transaction& transaction, Timestamp now,
                                      std::size_t count_max, std::size_t bytes_max,
                                      IsWanted is_wanted, Mutation& mutation, Arena& arena);

// Erases the changes taken.
Result<void> erase_changes(storage::WriteTransaction& transaction, const TakenChanges& taken);

// ---- details ----

struct HeldChange {
  Timestamp due;
  Mutation::EntryChange change;
};

// Views into `bytes`. Error: damaged.
Result<HeldChange> decode_held_change(std::string_view bytes);

template <class IsWanted>
Result<TakenChanges> take_due_changes(const storage::Transaction& transaction, Timestamp now,
                                      std::size_t count_max, std::size_t bytes_max,
                                      IsWanted is_wanted, Mutation& mutation, Arena& arena) {
  TakenChanges taken;
  std::size_t bytes = 0;
  while (taken.count < count_max && bytes < bytes_max) {
    STATOR_TRY(const auto record,
               transaction.seek(storage::Database::IndexChanges, taken.last_key, taken.count != 0));
    if (!record) break;
    STATOR_TRY(const HeldChange seen, decode_held_change(record->value));
    if (seen.due > now) break;
    taken.last_key = record->key;
    ++taken.count;
    bytes += record->value.size();
    if (!is_wanted(seen.change.space)) continue;
    // The mutation is applied while pages change, so it must not refer to them.
    STATOR_TRY(const HeldChange held, decode_held_change(arena.copy(record->value)));
    mutation.apply_entry(held.change);
  }
  return taken;
}

}  // namespace stator

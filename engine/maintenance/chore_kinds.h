// The kinds of chores there are, each in a file of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/call/settings.h"
#include "engine/maintenance/chore.h"

namespace stator {

// All of them. Their order means nothing: they take turns.
std::vector<std::unique_ptr<ChoreKind>> make_chore_kinds(const Settings& settings);

// Takes out tables and indexes whose time in DELETING is over.
std::unique_ptr<ChoreKind> make_removal();
// Erases the records of spaces that were dropped.
std::unique_ptr<ChoreKind> make_sweep();
// Fills indexes that UpdateTable added.
std::unique_ptr<ChoreKind> make_backfill();
// Lets global indexes follow their tables late.
std::unique_ptr<ChoreKind> make_late_changes(std::chrono::microseconds delay);
// Looks after the streams of a table: rolls shards over, forgets what is too old.
std::unique_ptr<ChoreKind> make_stream_upkeep(std::chrono::microseconds retention);
// Keeps what all streams occupy within bounds.
std::unique_ptr<ChoreKind> make_stream_bound();
// Forgets clients' tokens that do not count any more.
std::unique_ptr<ChoreKind> make_token_sweep();
// Erases entries of journals that nobody needs any more.
std::unique_ptr<ChoreKind> make_journal_trim();
// Makes the expiry entries of the items that were there when time to live was enabled.
std::unique_ptr<ChoreKind> make_expiry_build();
// Deletes expired items, `delay` later and of each table at most once an `interval`; never when
// that is zero.
std::unique_ptr<ChoreKind> make_expiry_sweep(std::chrono::microseconds delay,
                                             std::chrono::microseconds interval);

// A piece of the expiry entries that the table still lacks. Returns whether it has all.
Result<bool> build_expiries(const Table& table, ChorePiece& piece);

// A piece of the items that are expired, and have been for `delay`.
struct ExpirySwept {
  std::uint64_t deleted = 0;
  bool is_done = true;
};
Result<ExpirySwept> sweep_expired(const Table& table, std::chrono::microseconds delay,
                                  ChorePiece& piece);

// The first piece of an index that a table is getting, for UpdateTable's own commit: a small
// table's index is complete with it.
Result<void> run_first_backfill_piece(const Table& table, ChorePiece& piece);

// A piece of the changes that are due for a late index. Returns when the next is due; empty: it has
// seen all.
Result<std::optional<Timestamp>> apply_late_changes(storage::SpaceId index,
                                                    std::chrono::microseconds delay,
                                                    ChorePiece& piece);

// A piece on the way to a store without late indexes: one catches up whatever is due, and is no
// consumer any more when it has. Returns whether there was one.
Result<bool> end_late_index(ChorePiece& piece);

}  // namespace stator

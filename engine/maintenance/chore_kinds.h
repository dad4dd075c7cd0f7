// The kinds of chores there are, each in a file of its own.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "engine/maintenance/chore.h"

namespace stator {

// All of them. Their order means nothing: they take turns.
std::vector<std::unique_ptr<ChoreKind>> make_chore_kinds(std::chrono::microseconds gsi_delay);

// Takes out tables and indexes whose time in DELETING is over.
std::unique_ptr<ChoreKind> make_removal();
// Erases the records of spaces that were dropped.
std::unique_ptr<ChoreKind> make_sweep();
// Fills indexes that UpdateTable added.
std::unique_ptr<ChoreKind> make_backfill();
// Lets global indexes follow their tables late.
std::unique_ptr<ChoreKind> make_late_changes(std::chrono::microseconds delay);
// Erases entries of journals that nobody needs any more.
std::unique_ptr<ChoreKind> make_journal_trim();

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

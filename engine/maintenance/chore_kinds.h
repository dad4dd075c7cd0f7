// The kinds of chores there are, each in a file of its own.
#pragma once

#include <memory>
#include <vector>

#include "engine/maintenance/chore.h"

namespace stator {

// All of them. Their order means nothing: they take turns.
std::vector<std::unique_ptr<ChoreKind>> make_chore_kinds();

// Takes out tables and indexes whose time in DELETING is over.
std::unique_ptr<ChoreKind> make_removal();
// Erases the records of spaces that were dropped.
std::unique_ptr<ChoreKind> make_sweep();
// Fills indexes that UpdateTable added.
std::unique_ptr<ChoreKind> make_backfill();
// Applies changes of global indexes that were held back.
std::unique_ptr<ChoreKind> make_late_changes();

// The first piece of an index that a table is getting, for UpdateTable's own commit: a small
// table's index is complete with it.
Result<void> run_first_backfill_piece(const Table& table, ChorePiece& piece);

// A piece of the changes due. Returns whether there were any.
Result<bool> apply_late_changes(ChorePiece& piece);

}  // namespace stator

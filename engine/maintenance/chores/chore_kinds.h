// The kinds of chores, each in a file of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/call/settings.h"
#include "engine/maintenance/chores/chore.h"

namespace stator {

// Returns all kinds. Their order means nothing: they take turns. The settings must outlive them;
// delays may change (ChoreKind::delays_changed()).
std::vector<std::unique_ptr<ChoreKind>> make_chore_kinds(const Settings& settings);

// Removes tables and indexes whose time in DELETING is over.
std::unique_ptr<ChoreKind> make_removal();
// Erases the records of spaces that were dropped.
std::unique_ptr<ChoreKind> make_sweep();
// Fills indexes that UpdateTable added.
std::unique_ptr<ChoreKind> make_backfill();
// Applies changes to late global indexes, Settings::gsi_delay after they were written.
std::unique_ptr<ChoreKind> make_late_changes(const Settings& settings);
// Maintains the streams of a table: rolls shards over, erases what is too old.
std::unique_ptr<ChoreKind> make_stream_upkeep(const StreamLimits& limits);
// Bounds the space of all streams and the number of closed ones.
std::unique_ptr<ChoreKind> make_stream_bound();
// Erases expired client tokens.
std::unique_ptr<ChoreKind> make_token_sweep();
// Erases journal entries that no consumer needs.
std::unique_ptr<ChoreKind> make_journal_trim();
// Copies items for backups, restores and exports.
std::unique_ptr<ChoreKind> make_item_copy();
// Erase the history of tables with point-in-time recovery: what is too old, and what is too much
// for the bound.
std::unique_ptr<ChoreKind> make_history_upkeep();
std::unique_ptr<ChoreKind> make_history_bound();
// Erases changes that tables keep on request (engine/history/kept_changes.h), in time.
std::unique_ptr<ChoreKind> make_kept_changes();
// Removes the backups that deleted tables left, after their retention time.
std::unique_ptr<ChoreKind> make_backup_expiry();
// Delivers changes to Kinesis destinations whose streams are hosted here, and gives up old ones.
std::unique_ptr<ChoreKind> make_kinesis_delivery(bool is_hosted);
// Erases old records of hosted streams of Kinesis, and streams whose time in DELETING is over.
std::unique_ptr<ChoreKind> make_kinesis_retention();
// Builds the expiry entries of the items that existed when time to live was enabled.
std::unique_ptr<ChoreKind> make_expiry_build();
// Deletes expired items Settings::ttl_delay after they expire, for each table at most once a
// ttl_sweep_interval; never if that is zero.
std::unique_ptr<ChoreKind> make_expiry_sweep(const Settings& settings);

// Builds a piece of the table's missing expiry entries. Returns whether it has all.
Result<bool> build_expiries(const Table& table, ChorePiece& piece);

// Deletes a piece of the items that expired at least `delay` ago.
struct ExpirySwept {
  std::uint64_t deleted = 0;
  bool is_done = true;
};
Result<ExpirySwept> sweep_expired(const Table& table, std::chrono::microseconds delay,
                                  ChorePiece& piece);

// Stages the first piece of a new index, for UpdateTable's own commit: the index of a small table
// is complete with it.
Result<void> run_first_backfill_piece(const Table& table, ChorePiece& piece);

// Stages a piece of the copy to this space, for the commit that begins it: a small copy is complete
// with it. Returns when the next piece is due; empty if none is left.
Result<std::optional<Timestamp>> run_copy_piece(storage::SpaceId space, ChorePiece& piece);

// Stages a piece of the changes that are due for a late index. Returns when the next change is due;
// empty if the index has all.
Result<std::optional<Timestamp>> apply_late_changes(storage::SpaceId index,
                                                    std::chrono::microseconds delay,
                                                    ChorePiece& piece);

// Stages a piece of ending late indexes: an index catches up with all changes, due or not, and then
// stops being a consumer. Returns whether there was one.
Result<bool> end_late_index(ChorePiece& piece);

}  // namespace stator

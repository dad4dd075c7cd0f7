// History: what point-in-time recovery retains of a table's journal, and how far back it goes.
//
// Recovery is a consumer of the journal whose position is at its oldest entry. Together with the
// items as they are now, the entries after a moment give the items of that moment
// (item_copies.h). The statistics of PointInTimeRecovery::space count the entries.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/schema/table.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/stores/journal.h"
#include "protocol/errors/result.h"

namespace stator {

// What an entry of a journal takes in the store, at least.
std::int64_t stored_entry_bytes(std::size_t entry_bytes);

// How long a table retains history.
std::chrono::microseconds history_period(const PointInTimeRecovery& recovery);

// The times to which a table can be restored, in whole seconds, as SDKs send them.
struct RecoveryWindow {
  Timestamp earliest;
  Timestamp latest;
  Timestamp begin;  // `earliest` to the microsecond

  bool includes(Timestamp time) const;
};
// `lag` is Settings::history_lag.
RecoveryWindow recovery_window(const PointInTimeRecovery& recovery, std::chrono::microseconds lag,
                               Timestamp now);

// What a restore to a time of the window shows: the state at that time; at the end of its second if
// it is a whole one, because most SDKs cut off fractions.
Timestamp end_of_moment(Timestamp time);

// The first entry of a table's history; empty if there is none. REQUIRES: table.recovery.
Result<std::optional<storage::NumberedEntry>> first_of_history(
    const storage::Transaction& transaction, const Table& table);

// Gives up the first entry. REQUIRES: it is first_of_history().
Result<void> give_up_history(const Table& table, const storage::NumberedEntry& first,
                             MutationApplier& batch, storage::WriteTransaction& transaction);

}  // namespace stator

// Copies of a space's items as of one moment, which backups, restores and exports make while
// writers go on.
//
// A copy reads the source in pieces (engine/maintenance/chores/item_copy.cpp), so it sees items of
// different moments. Meanwhile it is a consumer of the source's journal, which therefore has every
// change since the moment. When all items are copied, it goes back through those changes and undoes
// each in the copy: an item that changed since gets the value before its first change, any other
// one was copied as it was. So writers wait for nothing, and the moment may lie as far in the past
// as the journal goes.
//
// The consumer also retains the records of the source when its table or backup is deleted.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/schema/backup.h"
#include "engine/schema/bulk_job.h"
#include "engine/schema/export_job.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// How long the backup of a deleted table with point-in-time recovery stays.
inline constexpr std::chrono::hours kSystemBackupLife{24 * 35};

// The batch in which something happens to a copy or a backup, and when.
struct CopyContext {
  MutationApplier& batch;
  storage::WriteTransaction& transaction;
  Timestamp now;
};

// Begins a copy to the space `target`. Without a first change the moment is now.
Result<void> begin_copy(ItemCopy& copy, storage::SpaceId target, const CopyContext& context);
// The copy is complete or given up: nothing is retained for it any more.
Result<void> end_copy(const ItemCopy& copy, storage::SpaceId target, const CopyContext& context);

// Whether a copy from this space is in progress.
Result<bool> is_being_copied(const storage::Transaction& transaction, storage::SpaceId source);

// Stores a new backup and begins its copy, or stores the next state of one, which may end its copy.
Result<void> apply_backup(Backup backup, const CopyContext& context);
Result<void> apply_erased_backup(const Backup& backup, const CopyContext& context);

// Stores a new export and begins its copy, or stores the next state of one. The end of an export
// drops its items.
Result<void> apply_export(ExportJob job, const CopyContext& context);
Result<void> apply_erased_export(const ExportJob& job, const CopyContext& context);

// Stores a new bulk put, which gets a space, or the next state of one. Its end drops its report.
Result<void> apply_bulk_job(BulkJob job, const CopyContext& context);
Result<void> apply_erased_bulk_job(const BulkJob& job, const CopyContext& context);

// Makes the items of a table that is being deleted those of a backup. Its space is then the
// backup's.
Result<void> retain_as_backup(const Table& table, const CopyContext& context);

// An id for a backup or an export made now: "01489602797149-73d8d5bc".
std::string backup_id(Timestamp created, std::uint32_t number);

}  // namespace stator

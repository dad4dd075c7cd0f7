#include "engine/state/item_copies.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "engine/catalog/consumers.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/journal.h"

namespace stator {

namespace {

// Begins the copy of a backup or an export to a space that it gets.
Result<void> begin_copy_to_new_space(ItemCopy& copy, storage::SpaceId& target,
                                     const CopyContext& context) {
  STATOR_TRY(target, storage::take_space(context.transaction));
  return begin_copy(copy, target, context);
}

}  // namespace

Result<void> begin_copy(ItemCopy& copy, storage::SpaceId target, const CopyContext& context) {
  if (copy.first_change == 0) {
    STATOR_TRY(copy.first_change, context.batch.next_change(context.transaction));
  }
  context.batch.note_copy(target);
  return context.batch.add_consumer(copy.source, copy_consumer(target), copy.first_change,
                                    context.transaction);
}

Result<void> end_copy(const ItemCopy& copy, storage::SpaceId target, const CopyContext& context) {
  context.batch.note_copy_ended(target);
  STATOR_CHECK(
      context.batch.remove_consumer(copy.source, copy_consumer(target), context.transaction));
  STATOR_TRY(const auto purge,
             context.transaction.find(storage::Database::Purges,
                                      storage::SpaceKey{copy.source}.encode().view()));
  if (purge) context.batch.note_dropped(copy.source);
  return {};
}

Result<bool> is_being_copied(const storage::Transaction& transaction, storage::SpaceId source) {
  STATOR_TRY(const auto consumers, storage::consumers_of(transaction, source));
  return std::any_of(consumers.begin(), consumers.end(), [](const storage::Consumer& consumer) {
    return copy_target_of(consumer.name).has_value();
  });
}

Result<void> apply_backup(Backup backup, const CopyContext& context) {
  if (backup.space == storage::SpaceId{}) {
    // With what earlier jobs of the batch have changed, as the copy has it.
    STATOR_TRY(const SpaceStats stats,
               context.batch.stats(backup.copy->source, context.transaction));
    backup.item_count = stats.item_count;
    backup.size_bytes = stats.size_bytes;
    STATOR_CHECK(begin_copy_to_new_space(*backup.copy, backup.space, context));
  } else {
    STATOR_TRY(const auto before,
               storage::Backups::find_in_progress(context.transaction, backup.space));
    if (before && !backup.copy) STATOR_CHECK(end_copy(*before->copy, backup.space, context));
  }
  return storage::Backups::put(context.transaction, backup);
}

Result<void> apply_erased_backup(const Backup& backup, const CopyContext& context) {
  if (backup.copy) STATOR_CHECK(end_copy(*backup.copy, backup.space, context));
  STATOR_CHECK(context.batch.drop_space(backup.space, context.transaction));
  return storage::Backups::erase(context.transaction, backup);
}

Result<void> apply_export(ExportJob job, const CopyContext& context) {
  if (job.space == storage::SpaceId{}) {
    STATOR_CHECK(begin_copy_to_new_space(*job.copy, job.space, context));
    return storage::Exports::put(context.transaction, job);
  }
  STATOR_TRY(const auto before, storage::Exports::find_in_progress(context.transaction, job.space));
  if (before && before->copy && !job.copy)
    STATOR_CHECK(end_copy(*before->copy, job.space, context));
  if (before && !job.is_in_progress())
    STATOR_CHECK(context.batch.drop_space(job.space, context.transaction));
  if (job.is_ready()) context.batch.note_ready_job();
  return storage::Exports::put(context.transaction, job);
}

Result<void> apply_erased_export(const ExportJob& job, const CopyContext& context) {
  if (job.copy) STATOR_CHECK(end_copy(*job.copy, job.space, context));
  if (job.is_in_progress()) STATOR_CHECK(context.batch.drop_space(job.space, context.transaction));
  return storage::Exports::erase(context.transaction, job);
}

Result<void> apply_bulk_job(BulkJob job, const CopyContext& context) {
  if (job.space == storage::SpaceId{}) {
    STATOR_TRY(job.space, storage::take_space(context.transaction));
    context.batch.note_ready_job();
  } else if (!job.is_in_progress()) {
    STATOR_CHECK(context.batch.drop_space(job.space, context.transaction));
  } else if (job.status == BulkStatus::Cancelling) {
    context.batch.note_ready_job();
  }
  return storage::BulkJobs::put(context.transaction, job);
}

Result<void> apply_erased_bulk_job(const BulkJob& job, const CopyContext& context) {
  if (job.is_in_progress()) STATOR_CHECK(context.batch.drop_space(job.space, context.transaction));
  return storage::BulkJobs::erase(context.transaction, job);
}

Result<void> retain_as_backup(const Table& table, const CopyContext& context) {
  Backup backup;
  backup.scope = table.scope;
  backup.name = table.name + "$DeletedTableBackup";
  backup.type = BackupType::System;
  backup.created = context.now;
  backup.expires = context.now.plus(kSystemBackupLife);
  backup.table = table;
  backup.table.recovery.reset();
  backup.table.deleting_until.reset();
  backup.space = table.space;
  STATOR_TRY(const SpaceStats stats, context.batch.stats(table.space, context.transaction));
  backup.item_count = stats.item_count;
  backup.size_bytes = stats.size_bytes;
  // A table may be made and deleted twice in a millisecond.
  for (Timestamp created = context.now;; created = created.plus(std::chrono::milliseconds(1))) {
    backup.id = backup_id(created, /*number=*/0);
    STATOR_TRY(const auto earlier,
               storage::Backups::find(context.transaction, backup.scope, backup.id, table.name));
    if (!earlier) break;
  }
  context.batch.note_expiring_backup(*backup.expires);
  return storage::Backups::put(context.transaction, backup);
}

std::string backup_id(Timestamp created, std::uint32_t number) {
  std::array<char, 40> text{};
  const int size = std::snprintf(text.data(), text.size(), "%014lld-%08x",
                                 static_cast<long long>(created.unix_ms()), number);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace stator

// What the requests of several backup operations share: tables and backups that they name.
#pragma once

#include <optional>
#include <string_view>

#include "engine/call/call.h"
#include "engine/schema/backup.h"
#include "engine/seams/clock.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// The table for operations on backups. Error for missing and CREATING tables:
// TableNotFoundException, which names the table as the request does.
Result<const Table*> backup_table(const Snapshot& snapshot, const Call& call,
                                  std::string_view name_or_arn);

// Error for a table without point-in-time recovery.
Result<void> check_recovery(const Table& table);

// Error for an ARN of another account.
Result<void> check_own_account(std::string_view account_id, const Call& call);

// The parts of a backup's ARN; views into the text.
struct BackupArn {
  std::string_view text;
  std::string_view table_arn;
  std::string_view region;
  std::string_view account_id;
  std::string_view table_name;
  std::string_view id;
};

// Checks the form of the ARN (conformance/observed/backups.md 1).
Result<BackupArn> parse_backup_arn(std::string_view text);

// The backup. Error for another account, another Region, or a missing backup.
Result<Backup> find_backup(const Snapshot& snapshot, const Call& call, const BackupArn& arn);
// For restores, whose backup may be of another Region. Error for another account, or a missing
// backup.
Result<Backup> find_backup_to_restore(const Snapshot& snapshot, const Call& call,
                                      const BackupArn& arn);

Error backup_in_use(std::string_view what, std::string_view arn);

// The time of a member; empty without the member. REQUIRES: its type was checked.
std::optional<Timestamp> time_member(const JsonNode& body, std::string_view name);

}  // namespace stator

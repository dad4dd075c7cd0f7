// Writes the descriptions of backups.
#pragma once

#include <string_view>

#include "engine/schema/backup.h"
#include "engine/seams/clock.h"
#include "protocol/json/json_writer.h"

namespace stator {

// "CREATING" or "AVAILABLE".
std::string_view backup_status(const Backup& backup, Timestamp now);

// The member "BackupDetails".
void write_backup_details(JsonWriter& out, const Backup& backup, std::string_view status);
// The member "BackupDescription".
void write_backup_description(JsonWriter& out, const Backup& backup, std::string_view status);
// The object that ListBackups has for a backup.
void write_backup_summary(JsonWriter& out, const Backup& backup, std::string_view status);

}  // namespace stator

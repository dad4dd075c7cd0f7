#include "engine/schema/backup.h"

#include "protocol/service/arn.h"

namespace stator {

std::string_view to_text(BackupType type) { return type == BackupType::User ? "USER" : "SYSTEM"; }

std::string Backup::arn() const { return backup_arn(table.arn(), id); }

}  // namespace stator

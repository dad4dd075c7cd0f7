#include "engine/operations/backups/backup_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation create_backup_row();
Operation delete_backup_row();
Operation describe_backup_row();
Operation describe_continuous_backups_row();
Operation list_backups_row();
Operation restore_table_from_backup_row();
Operation restore_table_to_point_in_time_row();
Operation update_continuous_backups_row();

OperationFamily backup_operations() {
  static const std::array kRows{
      create_backup_row(),
      delete_backup_row(),
      describe_backup_row(),
      describe_continuous_backups_row(),
      list_backups_row(),
      restore_table_from_backup_row(),
      restore_table_to_point_in_time_row(),
      update_continuous_backups_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator

#include "engine/operations/tables/table_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation create_table_row();
Operation delete_table_row();
Operation describe_endpoints_row();
Operation describe_limits_row();
Operation describe_table_row();
Operation describe_time_to_live_row();
Operation list_tables_row();
Operation update_table_row();
Operation update_time_to_live_row();

OperationFamily table_operations() {
  static const std::array kRows{
      create_table_row(),    delete_table_row(),   describe_endpoints_row(),
      describe_limits_row(), describe_table_row(), describe_time_to_live_row(),
      list_tables_row(),     update_table_row(),   update_time_to_live_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator

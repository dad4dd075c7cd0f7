// The operations on tables and on the account: each is a file and a line in the list below.
#include <array>

#include "engine/operations/families.h"

namespace stator {

Operation create_table_row();
Operation delete_table_row();
Operation describe_contributor_insights_row();
Operation describe_endpoints_row();
Operation describe_limits_row();
Operation describe_table_row();
Operation describe_time_to_live_row();
Operation list_contributor_insights_row();
Operation list_tables_row();
Operation update_contributor_insights_row();
Operation update_table_row();
Operation update_time_to_live_row();

OperationFamily table_operations() {
  static const std::array kRows{
      create_table_row(),
      delete_table_row(),
      describe_contributor_insights_row(),
      describe_endpoints_row(),
      describe_limits_row(),
      describe_table_row(),
      describe_time_to_live_row(),
      list_contributor_insights_row(),
      list_tables_row(),
      update_contributor_insights_row(),
      update_table_row(),
      update_time_to_live_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator

// The rows of the table of operations, each defined in the operation's own file.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

Operation batch_get_item_row();
Operation batch_write_item_row();
Operation create_table_row();
Operation delete_item_row();
Operation delete_table_row();
Operation describe_endpoints_row();
Operation describe_limits_row();
Operation describe_table_row();
Operation get_item_row();
Operation list_tables_row();
Operation list_tags_of_resource_row();
Operation put_item_row();
Operation query_row();
Operation scan_row();
Operation tag_resource_row();
Operation untag_resource_row();
Operation update_item_row();
Operation update_table_row();

}  // namespace stator

// Tables as the command line of AWS has them: input of create-table, output of describe-table, a
// list of either; and {"tables": […]} of jest-dynamodb, with plain items as `data`.
#pragma once

#include "server/templates/drafts/table_draft.h"

namespace stator::templates {

bool is_table_json(const Node& root);
// `path` of a NAME.table.json names a table that has no TableName.
void read_table_json(Reading& reading, Forest& forest, const Node& root, const std::string& path);

}  // namespace stator::templates

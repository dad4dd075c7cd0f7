// Tables and their sample items of a data model of NoSQL Workbench, of any version.
#pragma once

#include "server/templates/drafts/table_draft.h"

namespace stator::templates {

bool is_workbench(const Node& root);
void read_workbench(Reading& reading, Forest& forest, const Node& root);

}  // namespace stator::templates

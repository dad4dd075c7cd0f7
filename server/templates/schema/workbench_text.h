// Tables as a model of NoSQL Workbench.
#pragma once

#include <string>
#include <vector>

#include "server/templates/plan/table_shape.h"

namespace stator::templates {

// A model of version 3.0 without items.
std::string workbench_text(const std::vector<TableShape>& tables);

// What the table has and a model cannot say, for people: "stream, tags"; empty: nothing.
std::string lost_in_workbench(const TableShape& table);

}  // namespace stator::templates

// The plan for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "server/templates/plan/difference.h"
#include "server/templates/plan/plan.h"

namespace stator::templates {

// A line for each table, one for each member that is left out, and the sums. Texts may have any
// characters: escape them for a terminal.
std::vector<std::string> plan_lines(const Plan& plan);

// {"tables":[…],"create":1,"update":0,"replace":0,"unchanged":2,"delete":0,"applied":true}
std::string plan_json(const Plan& plan, bool is_applied);

// A line for each table of either side, and the sums: "+ Orders" is only in the second, "- Orders"
// only in the first.
std::vector<std::string> difference_lines(const std::vector<TableDifference>& differences);
std::string differences_json(const std::vector<TableDifference>& differences);

// A line for each table: ORDERS_TABLE=name, from the logical id Orders.
std::vector<std::string> environment_lines(const Plan& plan);

}  // namespace stator::templates

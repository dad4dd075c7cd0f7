// Makes the plan for tables that were read, by requests that change nothing.
#pragma once

#include <vector>

#include <tl/expected.hpp>

#include "server/data/transfer/dynamodb_client.h"
#include "server/templates/plan/plan.h"

namespace stator::templates {

// A table of a file with its comparable shape.
struct ReadTable {
  DesiredTable table;
  TableShape shape;
};

// Takes the shapes of tables. Mistakes are those that CreateTable would refuse, so that none of the
// tables is made; each has its table's place.
tl::expected<std::vector<ReadTable>, std::vector<Mistake>> with_shapes(
    std::vector<DesiredTable> tables);

tl::expected<Plan, data::Failure> make_plan(data::DynamodbClient& client,
                                            std::vector<ReadTable> tables);

}  // namespace stator::templates

#include "server/templates/plan/make_plan.h"

#include <string>
#include <utility>

namespace stator::templates {

tl::expected<std::vector<ReadTable>, Mistake> with_shapes(std::vector<DesiredTable> tables) {
  std::vector<ReadTable> read;
  for (DesiredTable& table : tables) {
    auto shape = shape_of(table);
    if (!shape) {
      std::string why = table.logical_id;
      return tl::unexpected(Mistake{table.place, why.append(": ").append(shape.error())});
    }
    read.push_back({std::move(table), *std::move(shape)});
  }
  return read;
}

tl::expected<Plan, data::Failure> make_plan(data::DynamodbClient& client,
                                            std::vector<ReadTable> tables) {
  Plan plan;
  for (ReadTable& read : tables) {
    auto there = read_state(client, read.shape.name, questions_for(read.shape));
    if (!there) return tl::unexpected(std::move(there).error());
    plan.tables.push_back(
        plan_table(std::move(read.table), std::move(read.shape), *std::move(there)));
  }
  return plan;
}

}  // namespace stator::templates

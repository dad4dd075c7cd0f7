#include "server/templates/plan/make_plan.h"

#include <string>
#include <utility>

#include "server/templates/sources/service_rules.h"

namespace stator::templates {

tl::expected<std::vector<ReadTable>, std::vector<Mistake>> with_shapes(
    std::vector<DesiredTable> tables) {
  std::vector<ReadTable> read;
  std::vector<Mistake> mistakes;
  for (DesiredTable& table : tables) {
    const auto refused = [&](const std::string& why) {
      mistakes.push_back({table.place, std::string(table.logical_id).append(": ").append(why)});
    };
    auto shape = shape_of(table);
    if (!shape) {
      refused(shape.error());
    } else if (const auto refusal = refusal_of(table.create_body)) {
      refused(*refusal);
    } else {
      read.push_back({std::move(table), *std::move(shape)});
    }
  }
  if (!mistakes.empty()) return tl::unexpected(std::move(mistakes));
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

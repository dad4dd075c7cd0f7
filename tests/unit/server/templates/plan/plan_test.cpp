#include "server/templates/plan/plan.h"

#include <catch2/catch.hpp>

#include "server/templates/plan/plan_text.h"
#include "server/templates/plan/verdict.h"

namespace stator::templates {
namespace {

TableShape shape(const std::string& name) {
  TableShape table;
  table.name = name;
  table.keys = {{"pk", "S", false}};
  table.is_on_demand = true;
  return table;
}

DesiredTable asked(const std::string& name) {
  DesiredTable table;
  table.logical_id = name;
  table.name = name;
  return table;
}

TableState state_of(const TableShape& table) {
  TableState state;
  state.shape = table;
  state.item_count = 12;
  return state;
}

PlannedTable planned(const std::string& name, const TableShape& wanted,
                     const std::optional<TableShape>& there) {
  std::optional<TableState> state;
  if (there) state = state_of(*there);
  return plan_table(asked(name), wanted, std::move(state));
}

// One table for each action.
Plan mixed_plan() {
  TableShape orders = shape("Orders");
  orders.keys.push_back({"sk", "S", true});
  orders.global_indexes["g"] = {{{"x", "S", false}}, "ALL"};
  orders.stream = "NEW_AND_OLD_IMAGES";
  orders.ttl_attribute = "expires";
  TableShape users = shape("Users");
  users.global_indexes["by-mail"] = {{{"mail", "S", false}}, "ALL"};
  users.ttl_attribute = "expires";
  TableShape carts = shape("Carts");
  carts.keys[0].type = "N";
  Plan plan;
  plan.tables.push_back(planned("Orders", orders, std::nullopt));
  plan.tables.push_back(planned("Users", users, shape("Users")));
  plan.tables.push_back(planned("Carts", carts, shape("Carts")));
  plan.tables.push_back(planned("Sessions", shape("Sessions"), shape("Sessions")));
  plan.tables[0].table.left_out = {"KinesisStreamSpecification"};
  plan.tables[2].table.place = {"template.yaml", 40, 5};
  return plan;
}

}  // namespace

TEST_CASE("plan: its text", "[server]") {
  CHECK(plan_lines(mixed_plan()) ==
        std::vector<std::string>{
            "+ Orders    on demand, pk S / sk S, 1 global index, stream NEW_AND_OLD_IMAGES, "
            "ttl expires",
            "~ Users     GlobalSecondaryIndexes: + by-mail (mail S; ALL); ttl: off -> expires",
            "! Carts     KeySchema: pk S -> pk N, line 40: a replacement loses 12 items "
            "(--allow-replace)",
            "= Sessions", "left out: Orders.KinesisStreamSpecification",
            "Plan: 1 to create, 1 to update, 1 to replace, 1 unchanged"});
}

TEST_CASE("plan: its JSON", "[server]") {
  Plan plan;
  TableShape carts = shape("Carts");
  carts.keys[0].type = "N";
  plan.tables.push_back(planned("Carts", carts, shape("Carts")));
  plan.tables[0].table.items = {"{}"};
  CHECK(
      plan_json(plan, false) ==
      R"({"tables":[{"name":"Carts","logicalId":"Carts","action":"replace","changes":[)"
      R"({"member":"KeySchema","text":"pk S -> pk N"}],"lostItems":12,"locked":false,"items":1,)"
      R"("leftOut":[]}],"create":0,"update":0,"replace":1,"unchanged":0,"delete":0,"applied":false})");
}

TEST_CASE("plan: who may do what", "[server]") {
  using Mode = Permissions::Mode;
  Plan plan = mixed_plan();
  CHECK(verdict_of(plan, {.mode = Mode::Plan}).status == 0);
  CHECK(verdict_of(plan, {.mode = Mode::Check}).status == kDifferentStatus);
  CHECK(verdict_of(plan, {}).status == kDifferentStatus);
  CHECK(verdict_of(plan, {.allows_replacement = true}).is_carried_out);
  CHECK_FALSE(verdict_of(plan, {.mode = Mode::Plan, .allows_replacement = true}).is_carried_out);
  const Verdict far = verdict_of(plan, {.allows_replacement = true, .is_loopback = false});
  CHECK(far.status == kMistakeStatus);
  CHECK_FALSE(far.is_carried_out);
  CHECK(verdict_of(plan, {.allows_replacement = true, .is_confirmed = true, .is_loopback = false})
            .is_carried_out);
  plan.tables[2].there->shape.is_protected = true;
  CHECK(verdict_of(plan, {.allows_replacement = true}).status == kDifferentStatus);
}

TEST_CASE("plan: nothing to do is fine anywhere", "[server]") {
  Plan plan;
  plan.tables.push_back(planned("T", shape("T"), shape("T")));
  const Verdict verdict = verdict_of(plan, {.is_loopback = false});
  CHECK(verdict.status == 0);
  CHECK_FALSE(verdict.is_carried_out);
  CHECK(verdict_of(plan, {.mode = Permissions::Mode::Check}).status == 0);
}

TEST_CASE("plan: items of a table whose load did not end are loaded again", "[server]") {
  DesiredTable table = asked("T");
  table.items = {"{}"};
  TableState there = state_of(shape("T"));
  CHECK_FALSE(plan_table(table, shape("T"), there).loads_items());
  there.is_unfinished = true;
  const PlannedTable again = plan_table(table, shape("T"), there);
  CHECK(again.action == Action::Update);
  CHECK(again.loads_items());
  CHECK(plan_table(table, shape("T"), std::nullopt).loads_items());
}

TEST_CASE("plan: names for functions", "[server]") {
  Plan plan;
  for (const char* const id : {"Orders", "OrderLines", "my.table", "2nd"})
    plan.tables.push_back(planned(id, shape(id), std::nullopt));
  CHECK(environment_lines(plan) ==
        std::vector<std::string>{"ORDERS_TABLE=Orders", "ORDER_LINES_TABLE=OrderLines",
                                 "MY_TABLE_TABLE=my.table", "_2ND_TABLE=2nd"});
}

TEST_CASE("plan: differences of two sides", "[server]") {
  TableSide file{true, {}};
  TableSide endpoint{false, {}};
  TableShape wanted = shape("B");
  wanted.tags = {{"a", "b"}};
  file.tables["A"] = state_of(shape("A"));
  file.tables["B"] = state_of(wanted);
  file.tables["C"] = state_of(shape("C"));
  endpoint.tables["B"] = state_of(shape("B"));
  endpoint.tables["C"] = state_of(shape("C"));
  endpoint.tables["C"].shape.warm = {90'000, 90'000};
  endpoint.tables["D"] = state_of(shape("D"));
  const auto differences = differences_of(file, endpoint);
  CHECK(difference_lines(differences) ==
        std::vector<std::string>{"- A", "~ B  Tags: - a", "= C", "+ D", "1 equal, 3 different"});
  CHECK(differences_json(differences) ==
        R"({"tables":[{"name":"A","state":"removed","changes":[]},)"
        R"({"name":"B","state":"changed","changes":[{"member":"Tags","text":"- a"}]},)"
        R"({"name":"C","state":"same","changes":[]},)"
        R"({"name":"D","state":"added","changes":[]}],"equal":false})");
  endpoint.tables["B"].knows_tags = false;
  CHECK(differences_of(file, endpoint)[1].is_same());
}

}  // namespace stator::templates

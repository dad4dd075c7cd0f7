// Tables as models of NoSQL Workbench, and what such a model cannot say.
#include "server/templates/schema/workbench_text.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/templates/templates_fixture.h"

namespace stator::templates {
namespace {

TableShape simple() {
  TableShape table;
  table.name = "Orders";
  table.keys = {{"pk", "S", false}};
  table.is_on_demand = true;
  return table;
}

TableShape indexed() {
  TableShape table = simple();
  table.keys.push_back({"sk", "N", true});
  table.is_on_demand = false;
  table.throughput = {5, 6};
  table.global_indexes["g"] = {{{"x", "B", false}, {"sk", "N", true}}, "INCLUDE", {"b", "a"}};
  table.global_indexes["g"].throughput = {1, 2};
  table.local_indexes["l"] = {{{"pk", "S", false}, {"x", "B", true}}, "KEYS_ONLY"};
  return table;
}

}  // namespace

TEST_CASE("workbench text: a model of one table", "[server]") {
  CHECK(workbench_text({simple()}) == R"({
  "ModelName": "stator",
  "ModelMetadata": {
    "Author": "",
    "Description": "",
    "AWSService": "Amazon DynamoDB",
    "Version": "3.0"
  },
  "DataModel": [
    {
      "TableName": "Orders",
      "KeyAttributes": {
        "PartitionKey": {
          "AttributeName": "pk",
          "AttributeType": "S"
        }
      },
      "NonKeyAttributes": [],
      "TableFacets": [],
      "DataAccess": {
        "MySql": {}
      },
      "BillingMode": "PAY_PER_REQUEST"
    }
  ]
}
)");
  CHECK(workbench_text({}).find("\"DataModel\": []") != std::string::npos);
}

TEST_CASE("workbench text: a model is read as the tables that it was made of", "[server]") {
  const std::vector<TableShape> tables = {indexed(), [] {
                                            TableShape other = simple();
                                            other.name = "Users \"2\"";
                                            return other;
                                          }()};
  const auto read = read_template_text(workbench_text(tables), "model.json", {});
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  const auto first = shape_of(read->front());
  REQUIRE(first);
  CHECK(first->keys == tables[0].keys);
  CHECK(first->throughput == tables[0].throughput);
  CHECK_FALSE(first->is_on_demand);
  REQUIRE(first->global_indexes.contains("g"));
  CHECK(first->global_indexes.at("g").has_same_entries(indexed().global_indexes["g"]));
  CHECK(first->global_indexes.at("g").throughput == UnitsShape{1, 2});
  REQUIRE(first->local_indexes.contains("l"));
  CHECK(first->local_indexes.at("l").has_same_entries(indexed().local_indexes["l"]));
  const auto second = shape_of(read->back());
  REQUIRE(second);
  CHECK(second->name == "Users \"2\"");
  CHECK(second->is_on_demand);
}

TEST_CASE("workbench text: what a model loses", "[server]") {
  CHECK(lost_in_workbench(simple()).empty());
  CHECK(lost_in_workbench(indexed()).empty());
  TableShape table = simple();
  table.recovery = DesiredRecovery{};  // off
  table.kinesis = DesiredKinesis{};
  CHECK(lost_in_workbench(table).empty());
  table.stream = "NEW_IMAGE";
  table.ttl_attribute = "t";
  table.tags = {{"a", "b"}};
  CHECK(lost_in_workbench(table) == "stream, time to live, tags");
  table = simple();
  table.table_class = "STANDARD_INFREQUENT_ACCESS";
  table.is_protected = true;
  table.is_encrypted = true;
  CHECK(lost_in_workbench(table) == "table class, deletion protection, encryption");
  table = simple();
  table.policy = "{}";
  table.recovery = DesiredRecovery{true, {}};
  table.kinesis = DesiredKinesis{"arn", {}};
  CHECK(lost_in_workbench(table) == "policy, recovery, Kinesis destination");
}

TEST_CASE("workbench text: limits and keys that a model cannot say", "[server]") {
  TableShape table = simple();
  table.limit = {10, -1};
  CHECK(lost_in_workbench(table) == "on-demand limit");
  table.limit = kNoLimit;
  table.global_indexes["g"] = {{{"a", "S", false}}, "ALL"};
  table.global_indexes["g"].limit = {-1, 3};
  CHECK(lost_in_workbench(table) == "on-demand limit");
  table.global_indexes["g"].limit = kNoLimit;
  table.global_indexes["g"].warm = UnitsShape{12000, 4001};
  CHECK(lost_in_workbench(table) == "warm throughput");
  table.global_indexes["g"].warm = UnitsShape{12000, 4000};
  table.warm = UnitsShape{12001, 4000};
  CHECK(lost_in_workbench(table) == "warm throughput");
  table.warm.reset();
  table.global_indexes["g"].keys.push_back({"b", "S", false});
  CHECK(lost_in_workbench(table) == "index with several keys of one kind");
}

}  // namespace stator::templates

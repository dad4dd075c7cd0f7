#include "server/templates/schema/template_text.h"

#include <catch2/catch.hpp>

#include "server/templates/plan/table_changes.h"
#include "server/templates/schema/indented_json.h"

namespace stator::templates {
namespace {

TableShape plain() {
  TableShape table;
  table.name = "my-orders.v2";
  table.keys = {{"pk", "S", false}};
  table.is_on_demand = true;
  return table;
}

TableShape rich() {
  TableShape table = plain();
  table.keys.push_back({"sk", "N", true});
  table.is_on_demand = false;
  table.throughput = {5, 6};
  table.global_indexes["g"] = {{{"x", "B", false}, {"sk", "N", true}}, "INCLUDE", {"b", "a"}};
  table.global_indexes["g"].throughput = {1, 2};
  table.local_indexes["l"] = {{{"pk", "S", false}, {"x", "B", true}}, "KEYS_ONLY"};
  table.stream = "OLD_IMAGE";
  table.table_class = "STANDARD_INFREQUENT_ACCESS";
  table.is_protected = true;
  table.is_encrypted = true;
  table.tags = {{"quote\"", "${x} \\"}};
  return table;
}

}  // namespace

TEST_CASE("template text: only what is no default", "[server]") {
  CHECK(cloudformation_text({plain()}) == R"({
  "AWSTemplateFormatVersion": "2010-09-09",
  "Resources": {
    "myordersv2": {
      "Type": "AWS::DynamoDB::Table",
      "Properties": {
        "TableName": "my-orders.v2",
        "AttributeDefinitions": [
          {
            "AttributeName": "pk",
            "AttributeType": "S"
          }
        ],
        "KeySchema": [
          {
            "AttributeName": "pk",
            "KeyType": "HASH"
          }
        ],
        "BillingMode": "PAY_PER_REQUEST"
      }
    }
  }
}
)");
}

TEST_CASE("template text: input of the command line is read back as the same table", "[server]") {
  for (const TableShape& table : {plain(), rich()}) {
    const auto read = read_shape(cli_text({table}));
    REQUIRE(read);
    TableState state;
    state.shape = *read;
    CHECK(changes_of(table, state).empty());
    CHECK(read->name == table.name);
  }
  CHECK(cli_text({plain(), rich()}).starts_with("[\n  {\n"));
}

TEST_CASE("template text: logical ids are different", "[server]") {
  TableShape first = plain();
  first.name = "a-b";
  TableShape second = plain();
  second.name = "a.b";
  const std::string text = cloudformation_text({first, second});
  CHECK(text.find("\"ab\": {") != std::string::npos);
  CHECK(text.find("\"abx2\": {") != std::string::npos);
}

TEST_CASE("template text: Terraform", "[server]") {
  TableShape table = plain();
  table.ttl_attribute = "t";
  table.tags = {{"a\"b", "${x}"}};
  CHECK(*terraform_text({table}) == R"(resource "aws_dynamodb_table" "my-orders_v2" {
  name = "my-orders.v2"
  billing_mode = "PAY_PER_REQUEST"
  hash_key = "pk"
  attribute {
    name = "pk"
    type = "S"
  }
  ttl {
    attribute_name = "t"
    enabled = true
  }
  tags = {
    "a\"b" = "$${x}"
  }
}
)");
  table.global_indexes["g"] = {{{"a", "S", false}, {"b", "S", false}}, "ALL"};
  CHECK(terraform_text({table}).error().find("index g of table my-orders.v2") == 0);
}

TEST_CASE("template text: warm throughput above that of a new table", "[server]") {
  TableShape table = rich();
  IndexShape& index = table.global_indexes["g"];
  table.warm = UnitsShape{5, 6};
  index.warm = UnitsShape{1, 2};
  CHECK(cloudformation_text({table}).find("Warm") == std::string::npos);
  CHECK(terraform_text({table})->find("warm") == std::string::npos);
  table.warm = UnitsShape{50, 6};
  index.warm = UnitsShape{0, 3};  // a new index has 1 at least
  for (const std::string& text : {cli_text({table}), stator_text({table})}) {
    const auto read = read_shape(text);
    REQUIRE(read);
    CHECK(read->warm == UnitsShape{50, 6});
    CHECK(read->global_indexes.at("g").warm == UnitsShape{1, 3});
  }
  CHECK(cloudformation_text({table}).find("\"WarmThroughput\": {\n          "
                                          "\"ReadUnitsPerSecond\": 50,") != std::string::npos);
  CHECK(terraform_text({table})->find("\n  warm_throughput {\n    read_units_per_second = 50\n"
                                      "    write_units_per_second = 6\n  }\n") !=
        std::string::npos);
  table = plain();
  table.warm = UnitsShape{12000, 4000};
  CHECK(stator_text({table}).find("Warm") == std::string::npos);
  table.warm = UnitsShape{12000, 5000};
  CHECK(stator_text({table}).find("\"WriteUnitsPerSecond\": 5000") != std::string::npos);
}

TEST_CASE("template text: the destination in Kinesis", "[server]") {
  TableShape table = plain();
  table.kinesis = DesiredKinesis{};
  CHECK(cloudformation_text({table}).find("Kinesis") == std::string::npos);
  CHECK(terraform_text({table})->find("kinesis") == std::string::npos);
  table.kinesis = DesiredKinesis{"arn:s", "MILLISECOND"};
  CHECK(stator_text({table}).find(
            "\"KinesisStreamSpecification\": {\n    \"StreamArn\": \"arn:s\"\n") !=
        std::string::npos);
  CHECK(cli_text({table}).find("Kinesis") == std::string::npos);
  table.kinesis->precision = "MICROSECOND";
  CHECK(cloudformation_text({table}).find(
            "\"ApproximateCreationDateTimePrecision\": \"MICROSECOND\"") != std::string::npos);
  const std::string terraform = *terraform_text({table});
  const std::size_t begin = terraform.find("resource \"aws_dynamodb_kinesis");
  REQUIRE(begin != std::string::npos);
  CHECK(terraform.substr(begin) ==
        R"(resource "aws_dynamodb_kinesis_streaming_destination" "my-orders_v2" {
  table_name = aws_dynamodb_table.my-orders_v2.name
  stream_arn = "arn:s"
  approximate_creation_date_time_precision = "MICROSECOND"
}
)");
}

TEST_CASE("indented JSON: empty ones stay together, strings stay as they are", "[server]") {
  CHECK(indented_json(R"({"a":[],"b":{},"c":"{,\":}"})") ==
        "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": \"{,\\\":}\"\n}\n");
}

}  // namespace stator::templates

// Tables of Terraform and Pulumi. The texts follow the documentation of the formats and of the
// provider; no published plan with a whole table was found.
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/templates/templates_fixture.h"

namespace stator {
namespace {

using test::read_text_as;

std::string plan_of(const std::string& resources, const std::string& changes = "[]",
                    const std::string& modules = "[]") {
  std::string text = R"({"format_version":"1.2","terraform_version":"1.9.0",)";
  text.append(R"("planned_values":{"root_module":{"resources":)")
      .append(resources)
      .append(R"(,"child_modules":)")
      .append(modules)
      .append(R"(}},"resource_changes":)")
      .append(changes)
      .append("}");
  return text;
}

std::string table_of(const std::string& address, const std::string& values) {
  return R"({"address":")" + address +
         R"(","mode":"managed","type":"aws_dynamodb_table","name":"t","values":)" + values + "}";
}

TEST_CASE("terraform: destinations in Kinesis", "[server]") {
  const auto destination = [](const std::string& values) {
    return R"({"address":"d","mode":"managed","type":"aws_dynamodb_kinesis_streaming_destination",)"
           R"("values":)" +
           values + "}";
  };
  const auto end_of = [&](const std::string& values) {
    const std::string table = table_of("t", R"({"name":"orders","billing_mode":"PAY_PER_REQUEST",
        "hash_key":"pk","attribute":[{"name":"pk","type":"S"}]})");
    const std::string text =
        read_text_as("p.json", plan_of("[" + destination(values) + "," + table + "]"));
    return text.substr(text.find("}\n") + 2);
  };
  CHECK(end_of(R"({"table_name":"orders","stream_arn":"arn:s",
          "approximate_creation_date_time_precision":"MICROSECOND"})") ==
        "kinesis arn:s MICROSECOND\n");
  CHECK(end_of(R"({"table_name":"orders","stream_arn":"arn:s",
          "approximate_creation_date_time_precision":null})") == "kinesis arn:s \n");
  // Known after an apply only; and of a table that is not in the file.
  CHECK(end_of(R"({"table_name":"orders"})") == "left out kinesis_streaming_destination\n");
  CHECK(end_of(R"({"table_name":"other","stream_arn":"arn:s"})").empty());
}

TEST_CASE("terraform: every member of a table, and items", "[server]") {
  const std::string table = table_of("aws_dynamodb_table.t", R"({
    "name":"orders","billing_mode":"PROVISIONED","hash_key":"pk","range_key":"sk",
    "read_capacity":5,"write_capacity":6,"attribute":[{"name":"pk","type":"S"},
    {"name":"sk","type":"N"}],"stream_enabled":true,"stream_view_type":"KEYS_ONLY",
    "global_secondary_index":[{"name":"g","hash_key":"sk","range_key":null,
      "projection_type":"INCLUDE","non_key_attributes":["x"],"read_capacity":1,"write_capacity":2,
      "on_demand_throughput":[]},
      {"name":"h","key_schema":[{"attribute_name":"sk","key_type":"HASH"}],
      "projection_type":"ALL","non_key_attributes":[],"read_capacity":1,"write_capacity":2}],
    "local_secondary_index":[{"name":"l","range_key":"sk","projection_type":"ALL",
      "non_key_attributes":null}],
    "ttl":[{"attribute_name":"e","enabled":true}],
    "point_in_time_recovery":[{"enabled":true,"recovery_period_in_days":3}],
    "server_side_encryption":[{"enabled":true,"kms_key_arn":"arn:k"}],
    "deletion_protection_enabled":true,"table_class":"STANDARD","tags":{"a":"b"},
    "replica":[{"region_name":"eu-west-1"}],"import_table":[],"restore_source_name":null})");
  const std::string item =
      R"({"address":"aws_dynamodb_table_item.i","mode":"managed","type":"aws_dynamodb_table_item",
      "values":{"table_name":"orders","item":"{\"pk\": {\"S\":\"x\"}, \"sk\":{\"N\":\"1\"}}"}})";
  const std::string expected =
      "aws_dynamodb_table.t -> orders\n"
      R"({"TableName":"orders","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
      R"({"AttributeName":"sk","AttributeType":"N"}],"KeySchema":[{"AttributeName":"pk",)"
      R"("KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"BillingMode":"PROVISIONED",)"
      R"("ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6},)"
      R"("GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":[{"AttributeName":"sk",)"
      R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]},)"
      R"("ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2}},)"
      R"({"IndexName":"h","KeySchema":[{"AttributeName":"sk","KeyType":"HASH"}],"Projection":)"
      R"({"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":1,)"
      R"("WriteCapacityUnits":2}}],"LocalSecondaryIndexes":[{"IndexName":"l","KeySchema":)"
      R"([{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],)"
      R"("Projection":{"ProjectionType":"ALL"}}],"TableClass":"STANDARD",)"
      R"("DeletionProtectionEnabled":true,"Tags":[{"Key":"a","Value":"b"}],"StreamSpecification":)"
      R"({"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"},"SSESpecification":{"Enabled":true,)"
      R"("KMSMasterKeyId":"arn:k"}})"
      "\nttl e\nrecovery on 3\nleft out replica\n"
      R"(item {"pk":{"S":"x"},"sk":{"N":"1"}})"
      "\n";
  // The item is in front of its table, and in another module.
  CHECK(read_text_as("plan.json", plan_of("[" + item + "]", "[]",
                                          "[{\"resources\":[" + table + "]}]")) == expected);
  CHECK(read_text_as("state.json",
                     R"({"format_version":"1.0","values":{"root_module":{"resources":[)" + table +
                         "," + item + "]}}}") == expected);
}

TEST_CASE("terraform: on demand, and what is known after an apply only", "[server]") {
  const std::string table =
      table_of("module.m.aws_dynamodb_table.t[0]",
               R"({"name":"t","billing_mode":"PAY_PER_REQUEST","hash_key":"pk","read_capacity":null,
      "attribute":[{"name":"pk","type":"S"}],"ttl":[{"attribute_name":"","enabled":false}],
      "on_demand_throughput":[{"max_read_request_units":5,"max_write_request_units":null}],
      "stream_enabled":null,"tags":null})");
  CHECK(read_text_as("plan.json", plan_of("[" + table + "]", R"([{"address":
        "module.m.aws_dynamodb_table.t[0]","change":{"after_unknown":{"arn":true,"ttl":[{}]}}}])")) ==
        "module.m.aws_dynamodb_table.t[0] -> t\n"
        R"({"TableName":"t","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
        R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",)"
        R"("OnDemandThroughput":{"MaxReadRequestUnits":5}})"
        "\n");
  CHECK(read_text_as("plan.json", plan_of("[" + table_of("aws_dynamodb_table.u", "{}") + "]",
                                          R"([{"address":"aws_dynamodb_table.u","change":
        {"after_unknown":{"name":true}}}])"))
            .find("aws_dynamodb_table.u.name: it is known after an apply only") !=
        std::string::npos);
  CHECK(read_text_as("plan.json", plan_of("[" + table_of("aws_dynamodb_table.u", "{}") + "]"))
            .find("aws_dynamodb_table.u.name: it is missing") != std::string::npos);
  CHECK(read_text_as("x.tf", "resource \"aws_dynamodb_table\" \"t\" {\n}\n") ==
        "x.tf: HCL is not read: terraform show -json | stator apply -\n");
  CHECK(read_text_as("terraform.tfstate", R"({"version":4,"terraform_version":"1","resources":[]})")
            .find("terraform show -json | stator apply -") != std::string::npos);
}

TEST_CASE("pulumi: a stack's export", "[server]") {
  CHECK(
      read_text_as("stack.json", R"({"version":3,"deployment":{"resources":[
    {"urn":"urn:pulumi:dev::app::pulumi:pulumi:Stack::app-dev","type":"pulumi:pulumi:Stack"},
    {"urn":"urn:pulumi:dev::app::aws:dynamodb/table:Table::orders",
     "type":"aws:dynamodb/table:Table","outputs":{"name":"orders-1a2b","hashKey":"pk",
       "billingMode":"PAY_PER_REQUEST","attributes":[{"name":"pk","type":"S"}],
       "globalSecondaryIndexes":[{"name":"g","hashKey":"pk","projectionType":"KEYS_ONLY"}],
       "ttl":{"attributeName":"e","enabled":true},"pointInTimeRecovery":{"enabled":false},
       "streamEnabled":false,"tags":{"k":"v"},"tableClass":"STANDARD"}},
    {"urn":"urn:pulumi:dev::app::aws:dynamodb/tableItem:TableItem::i",
     "type":"aws:dynamodb/tableItem:TableItem",
     "outputs":{"tableName":"orders-1a2b","item":"{\"pk\":{\"S\":\"a\"}}"}}]}})") ==
      "orders -> orders-1a2b\n"
      R"({"TableName":"orders-1a2b","AttributeDefinitions":[{"AttributeName":"pk",)"
      R"("AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
      R"("BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":)"
      R"([{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],)"
      R"("TableClass":"STANDARD","Tags":[{"Key":"k","Value":"v"}]})"
      "\nttl e\nrecovery off\n"
      R"(item {"pk":{"S":"a"}})"
      "\n");
}

}  // namespace
}  // namespace stator

// Models of NoSQL Workbench, JSON of the command line, jest-dynamodb, and files and folders.
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/templates/templates_fixture.h"

namespace stator {
namespace {

using templates::ReadOptions;
using test::read_text_as;

TEST_CASE("workbench: keys are gathered, items pass unchanged", "[server]") {
  CHECK(read_text_as("model.json", R"({"ModelName":"m","ModelMetadata":{"Version":"2.0"},
    "DataModel":[{"TableName":"Bank","KeyAttributes":{
      "PartitionKey":{"AttributeName":"pk","AttributeType":"S"},
      "SortKey":{"AttributeName":"sk","AttributeType":"S"}},
      "NonKeyAttributes":[{"AttributeName":"n","AttributeType":"N"}],
      "TableFacets":[{"FacetName":"f"}],
      "GlobalSecondaryIndexes":[{"IndexName":"g","KeyAttributes":{
        "PartitionKey":{"AttributeName":"sk","AttributeType":"S"},
        "SortKey":{"AttributeName":"Status#Time","AttributeType":"N"}},
        "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["n"]}}],
      "TableData":[{"pk":{"S":"a"},"n":{"N":"12345678901234567890123456789012345678"},
        "b":{"B":"AAE="},"s":{"SS":["x"]},"m":{"M":{"l":{"L":[{"NULL":true},{"BOOL":false}]}}}}],
      "DataAccess":{"MySql":{}}}]})") ==
        "Bank -> Bank\n"
        R"({"TableName":"Bank","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
        R"({"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"Status#Time",)"
        R"("AttributeType":"N"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
        R"({"AttributeName":"sk","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST",)"
        R"("GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":[{"AttributeName":"sk",)"
        R"("KeyType":"HASH"},{"AttributeName":"Status#Time","KeyType":"RANGE"}],"Projection":)"
        R"({"ProjectionType":"INCLUDE","NonKeyAttributes":["n"]}}]})"
        "\n"
        R"(item {"pk":{"S":"a"},"n":{"N":"12345678901234567890123456789012345678"},)"
        R"("b":{"B":"AAE="},"s":{"SS":["x"]},"m":{"M":{"l":{"L":[{"NULL":true},{"BOOL":false}]}}}})"
        "\n");
}

TEST_CASE("workbench: provisioned throughput of version 3.0", "[server]") {
  CHECK(read_text_as("model.json", R"({"ModelMetadata":{"Version":"3.0"},"DataModel":[
      {"TableName":"S","KeyAttributes":{"PartitionKey":{"AttributeName":"p","AttributeType":"B"}},
      "BillingMode":"PROVISIONED","ProvisionedCapacitySettings":{
        "ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6},
        "AutoScalingRead":{"ScalableTargetRequest":{"MinCapacity":1}}},
      "GlobalSecondaryIndexes":[{"IndexName":"g","KeyAttributes":{
        "PartitionKey":{"AttributeName":"p","AttributeType":"B"}},
        "Projection":{"ProjectionType":"ALL"}}]}]})") ==
        "S -> S\n"
        R"({"TableName":"S","AttributeDefinitions":[{"AttributeName":"p","AttributeType":"B"}],)"
        R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],"BillingMode":"PROVISIONED",)"
        R"("ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6},)"
        R"("GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":[{"AttributeName":"p",)"
        R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":)"
        R"({"ReadCapacityUnits":5,"WriteCapacityUnits":6}}]})"
        "\nleft out ProvisionedCapacitySettings.AutoScaling\n");
}

TEST_CASE("workbench: mistakes of a model", "[server]") {
  CHECK(read_text_as("m.json", R"({"DataModel":[{"TableName":"A"}]})")
            .starts_with("m.json:1:15: A: KeyAttributes.PartitionKey is missing\n"));
  CHECK(read_text_as("m.json", R"({"DataModel":[{"TableName":"A","KeyAttributes":
      {"PartitionKey":{"AttributeName":"p","AttributeType":"S"},
      "SortKey":{"AttributeName":"p","AttributeType":"N"}}}]})")
            .find("m.json:3:17: A: attribute p has the types S and N") != std::string::npos);
}

const std::string kInput =
    R"({"TableName":"t","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
    R"("AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],)"
    R"("BillingMode":"PAY_PER_REQUEST","StreamSpecification":{"StreamEnabled":false},)"
    R"("SSESpecification":{"Enabled":true},"TimeToLiveSpecification":)"
    R"({"AttributeName":"e","Enabled":true},"ResourcePolicy":"{}"})";
const std::string kInputShown =
    "t -> t\n"
    R"({"TableName":"t","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",)"
    R"("SSESpecification":{"Enabled":true},"ResourcePolicy":"{}"})"
    "\nttl e\n";
const std::string kDescription =
    R"({"Table":{"TableName":"d","TableStatus":"ACTIVE","ItemCount":3,"KeySchema":)"
    R"([{"AttributeName":"a","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"a",)"
    R"("AttributeType":"S"}],"ProvisionedThroughput":{"NumberOfDecreasesToday":0,)"
    R"("ReadCapacityUnits":1,"WriteCapacityUnits":2},"TableArn":"arn:x","WarmThroughput":)"
    R"({"ReadUnitsPerSecond":12000,"Status":"ACTIVE"},"StreamSpecification":)"
    R"({"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"},"LatestStreamArn":"arn:y",)"
    R"("TableClassSummary":{"TableClass":"STANDARD"},"DeletionProtectionEnabled":true,)"
    R"("SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:z"},)"
    R"("GlobalSecondaryIndexes":[{"IndexName":"g","IndexStatus":"ACTIVE","KeySchema":)"
    R"([{"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},)"
    R"("ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":3,)"
    R"("WriteCapacityUnits":4}}]}})";
const std::string kDescriptionShown =
    "d -> d\n"
    R"({"TableName":"d","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"BillingMode":"PROVISIONED",)"
    R"("ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2},)"
    R"("GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":[{"AttributeName":"a",)"
    R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":)"
    R"({"ReadCapacityUnits":3,"WriteCapacityUnits":4}}],"TableClass":"STANDARD",)"
    R"("DeletionProtectionEnabled":true,"StreamSpecification":{"StreamEnabled":true,)"
    R"("StreamViewType":"NEW_IMAGE"},"SSESpecification":{"Enabled":true}})"
    "\n";

TEST_CASE("table JSON: input and output of the command line, and lists", "[server]") {
  CHECK(read_text_as("-", kInput) == kInputShown);
  CHECK(read_text_as("-", kDescription) == kDescriptionShown);
  CHECK(read_text_as("-", "[" + kInput + "," + kDescription + "]") ==
        kInputShown + kDescriptionShown);
  CHECK(read_text_as("x/named.table.json",
                     R"({"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]})") ==
        "named -> named\n"
        R"({"TableName":"named","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]})"
        "\n");
  CHECK(read_text_as("t.json", R"({"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]})")
            .find("TableName: it is missing") != std::string::npos);
}

TEST_CASE("table JSON: limits of -1 are none", "[server]") {
  const auto limited = [](const std::string& limits) {
    return R"({"Table":{"TableName":"d","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},)"
           R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"OnDemandThroughput":)" +
           limits +
           R"(,"GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":[{"AttributeName":"a",)"
           R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"OnDemandThroughput":)" +
           limits + "}]}}";
  };
  const auto shown = [](const std::string& limits) {
    return R"(d -> d
{"TableName":"d","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
           R"("BillingMode":"PAY_PER_REQUEST",)" +
           (limits.empty() ? limits : limits + ",") +
           R"("GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":[{"AttributeName":"a",)"
           R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"})" +
           (limits.empty() ? limits : "," + limits) + "}]}\n";
  };
  CHECK(read_text_as("-", limited(R"({"MaxReadRequestUnits":-1,"MaxWriteRequestUnits":-1})")) ==
        shown(""));
  CHECK(read_text_as("-", limited(R"({"MaxReadRequestUnits":-1,"MaxWriteRequestUnits":7})")) ==
        shown(R"("OnDemandThroughput":{"MaxWriteRequestUnits":7})"));
  CHECK(read_text_as("-", limited(R"({"MaxReadRequestUnits":-2})")) ==
        shown(R"("OnDemandThroughput":{"MaxReadRequestUnits":-2})"));
}

TEST_CASE("table JSON: what the formats cannot say", "[server]") {
  const auto unsaid = [](const std::string& text) {
    const auto tables = templates::read_template_text(text, "-", {});
    REQUIRE(tables);
    const templates::UnsaidMembers& members = tables->front().unsaid;
    std::string names;
    if (members.time_to_live) names += "ttl ";
    if (members.tags) names += "tags ";
    if (members.protection) names += "protection ";
    return names + (members.stream || members.table_class || members.encryption ? "more" : "");
  };
  CHECK(unsaid(kDescription) == "ttl tags ");
  std::string old = kDescription;
  old.erase(old.find(R"("DeletionProtectionEnabled":true,)"), 33);
  CHECK(unsaid(old) == "ttl tags protection ");
  CHECK(unsaid(kInput).empty());
  const std::string keys = R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}])";
  CHECK(unsaid(R"({"TableName":"abc",)" + keys + "}") == "ttl ");
  CHECK(unsaid(R"({"tables":[{"TableName":"abc",)" + keys + "}]}") == "ttl ");
  CHECK(unsaid(R"({"Resources":{"T":{"Type":"AWS::DynamoDB::Table","Properties":{)" + keys + "}}}}")
            .empty());
  CHECK(unsaid(R"({"DataModel":[{"TableName":"abc","KeyAttributes":{"PartitionKey":)"
               R"({"AttributeName":"id","AttributeType":"S"}}}]})") == "ttl tags protection more");
}

TEST_CASE("table JSON: plain items of jest-dynamodb", "[server]") {
  CHECK(read_text_as("-", R"({"port":8000,"tables":[{"TableName":"files",
    "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
    "data":[{"id":"1","n":1.50,"b":true,"z":null,"l":[1,"a"],"m":{"S":"x"},"e":""}]}]})") ==
        "files -> files\n"
        R"({"TableName":"files","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]})"
        "\n"
        R"(item {"id":{"S":"1"},"n":{"N":"1.50"},"b":{"BOOL":true},"z":{"NULL":true},)"
        R"("l":{"L":[{"N":"1"},{"S":"a"}]},"m":{"M":{"S":{"S":"x"}}},"e":{"S":""}})"
        "\n");
  CHECK(read_text_as("-", R"({"tables":[{"TableName":"t","KeySchema":
    [{"AttributeName":"id","KeyType":"HASH"}],"data":[1]}]})")
            .find("t.data: an item is an object") != std::string::npos);
}

TEST_CASE("template files: what is no template", "[server]") {
  CHECK(read_text_as("docker-compose.yml", "services: {a: {image: b}}\n")
            .starts_with("docker-compose.yml: it is no template that is known: "));
  CHECK(read_text_as("-", "just text").starts_with("stdin: it is no template"));
  CHECK(read_text_as("jest-dynamodb-config.js", "module.exports = {\n  tables: [],\n};\n")
            .starts_with("jest-dynamodb-config.js: code is not run: node -p"));
  CHECK(read_text_as("t.yaml", "AWSTemplateFormatVersion: x\nResources: {}\n") ==
        "t.yaml: there are no tables in it\n");
  CHECK(test::shown(templates::read_templates({"/nowhere/t.yaml"}, {}))
            .starts_with("/nowhere/t.yaml: cannot be opened: "));
  CHECK_FALSE(templates::is_template_file("/nowhere/t.yaml"));
}

std::string stack_of(const std::string& name) {
  return R"({"Resources":{"T":{"Type":"AWS::DynamoDB::Table","Properties":{"TableName":")" + name +
         R"(","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}}}})";
}

std::string names_in(const std::string& folder) {
  const auto tables = templates::read_templates({folder}, {});
  if (!tables) return test::shown(tables);
  std::string names;
  for (const auto& table : *tables) names.append(table.name).append(" ");
  return names;
}

TEST_CASE("template files: a folder", "[server]") {
  const test::TemplateFolder folder;
  CHECK(names_in(folder.folder()) == folder.folder() + ": the folder has no templates\n");
  folder.write("template.yaml", stack_of("sam"));
  folder.write("model.json", R"({"DataModel":[]})");
  folder.write("Users.table.json", R"({"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]})");
  folder.write("package.json", R"({"name":"x"})");
  folder.write("broken.yml", "{{ a: ");
  folder.write("notes.txt", "text");
  CHECK(names_in(folder.folder()) == "Users sam ");
  // CDK's output: its other files are not templates.
  folder.write("manifest.json", R"({"version":"1"})");
  folder.write("B.template.json", stack_of("b"));
  folder.write("A.template.json", stack_of("a"));
  folder.write("assembly-Prod/C.template.json", stack_of("c"));
  CHECK(names_in(folder.folder()) == "a b c ");
  folder.write("C.template.json", stack_of("a"));
  CHECK(names_in(folder.folder()).find("another table has the name a too") != std::string::npos);
  CHECK(templates::is_template_file(folder.path("template.yaml")));
  CHECK_FALSE(templates::is_template_file(folder.path("package.json")));
}

TEST_CASE("template files: parameters", "[server]") {
  const test::TemplateFolder folder;
  const auto parameters = [&](const std::string& text) {
    std::vector<templates::NamedText> found = {{"A", "given"}};
    const auto read = templates::add_parameters_file(found, folder.write("p.json", text));
    if (!read) return read.error().message();
    std::string names;
    for (const auto& [name, value] : found)
      names.append(name).append("=").append(value).append(" ");
    return names;
  };
  CHECK(parameters(R"([{"ParameterKey":"A","ParameterValue":"1"},
                       {"ParameterKey":"B","ParameterValue":"2"}])") == "A=given B=2 ");
  CHECK(parameters(R"(["A=1","B=2=3"])") == "A=given B=2=3 ");
  CHECK(parameters(R"({"Parameters":{"B":2,"C":["x","y"]},"Tags":{"t":"u"}})") ==
        "A=given B=2 C=x,y ");
  CHECK(parameters("{\"B\":\"2\"}") == "A=given B=2 ");
  CHECK(parameters("[1]").find("parameters are a map, or a list") != std::string::npos);
  CHECK(parameters("{").find("this is no valid JSON") != std::string::npos);
}

}  // namespace
}  // namespace stator

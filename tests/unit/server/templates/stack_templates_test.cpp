// Tables of CloudFormation, SAM and CDK.
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/templates/templates_fixture.h"

namespace stator {
namespace {

using templates::ReadOptions;
using test::read_text_as;
using test::read_yaml_template;
using test::table_with;

constexpr const char* kKeys = "      KeySchema: [{AttributeName: a, KeyType: HASH}]\n";
const std::string kKeysBody = R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}])";

std::string with_keys(const std::string& properties, const ReadOptions& options = {}) {
  return table_with(kKeys + properties, options);
}

TEST_CASE("stack templates: every member of a table", "[server]") {
  CHECK(
      table_with(R"(
      TableName: Orders
      AttributeDefinitions:
        - {AttributeName: pk, AttributeType: S}
        - {AttributeName: sk, AttributeType: N}
      KeySchema:
        - {AttributeName: pk, KeyType: HASH}
        - {AttributeName: sk, KeyType: RANGE}
      BillingMode: PROVISIONED
      ProvisionedThroughput: {ReadCapacityUnits: 012, WriteCapacityUnits: "6"}
      WarmThroughput: {ReadUnitsPerSecond: 12000, WriteUnitsPerSecond: 4000}
      GlobalSecondaryIndexes:
        - IndexName: 12
          KeySchema: [{AttributeName: sk, KeyType: HASH}]
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [x, yes]}
          ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 1}
          ContributorInsightsSpecification: {Enabled: true, Mode: THROTTLED_KEYS}
      LocalSecondaryIndexes:
        - IndexName: local
          KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: sk, KeyType: RANGE}]
          Projection: {ProjectionType: ALL}
      StreamSpecification: {StreamViewType: NEW_IMAGE}
      TimeToLiveSpecification: {AttributeName: expires, Enabled: Yes}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7}
      ContributorInsightsSpecification: {Enabled: off}
      SSESpecification: {SSEEnabled: true, SSEType: KMS}
      ResourcePolicy: {PolicyDocument: {Version: '2012-10-17'}}
      TableClass: STANDARD_INFREQUENT_ACCESS
      DeletionProtectionEnabled: "true"
      Tags: [{Key: a, Value: 1}]
      KinesisStreamSpecification: {StreamArn: !GetAtt Stream.Arn}
      VectorIndexes: []
)") ==
      "T -> Orders\n"
      R"({"TableName":"Orders","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
      R"({"AttributeName":"sk","AttributeType":"N"}],"KeySchema":[{"AttributeName":"pk",)"
      R"("KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"BillingMode":"PROVISIONED",)"
      R"("ProvisionedThroughput":{"ReadCapacityUnits":10,"WriteCapacityUnits":6},)"
      R"("WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000},)"
      R"("GlobalSecondaryIndexes":[{"IndexName":"12","KeySchema":[{"AttributeName":"sk",)"
      R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":)"
      R"(["x","yes"]},"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}],)"
      R"("LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk",)"
      R"("KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"Projection":)"
      R"({"ProjectionType":"ALL"}}],"TableClass":"STANDARD_INFREQUENT_ACCESS",)"
      R"("DeletionProtectionEnabled":true,"Tags":[{"Key":"a","Value":"1"}],)"
      R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"},)"
      R"("SSESpecification":{"Enabled":true,"SSEType":"KMS"},)"
      R"("ResourcePolicy":"{\"Version\":\"2012-10-17\"}"})"
      "\nttl expires\nrecovery on 7\ninsights on 12 THROTTLED_KEYS\ninsights off\n"
      "left out KinesisStreamSpecification\nleft out VectorIndexes\n");
}

TEST_CASE("stack templates: JSON, and YAML in the long form, say the same", "[server]") {
  const std::string expected = "T -> t-dev\n{\"TableName\":\"t-dev\"," + kKeysBody +
                               R"(,"BillingMode":"PAY_PER_REQUEST"})" + "\n";
  const std::string head =
      "Parameters: {Stage: {Type: String, Default: dev}}\n"
      "Conditions: {OnDemand: ";
  const std::string middle =
      "}\nResources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n";
  CHECK(read_yaml_template(
            head + "!Not [!Equals [!Ref Stage, prod]]" + middle + kKeys +
            "      TableName: !Sub '${AWS::StackName}-${Stage}'\n"
            "      BillingMode: !If [OnDemand, PAY_PER_REQUEST, PROVISIONED]\n"
            "      ProvisionedThroughput: !If [OnDemand, !Ref 'AWS::NoValue', {ReadCapacityUnits: "
            "1}]\n") == expected);
  CHECK(read_yaml_template(head + "{Fn::Not: [{Fn::Equals: [{Ref: Stage}, prod]}]}" + middle +
                           kKeys +
                           "      TableName: {Fn::Join: ['-', [{Ref: 'AWS::StackName'}, {Ref: "
                           "Stage}]]}\n"
                           "      BillingMode: {Fn::If: [OnDemand, PAY_PER_REQUEST, PROVISIONED]}\n"
                           "      ProvisionedThroughput: {Fn::If: [OnDemand, {Ref: "
                           "'AWS::NoValue'}, {}]}\n") == expected);
  CHECK(read_text_as("t.template.json", R"({"Parameters":{"Stage":{"Type":"String",
    "Default":"dev"}},"Conditions":{"OnDemand":{"Fn::Not":[{"Fn::Equals":[{"Ref":"Stage"},"prod"]}]}},
    "Resources":{"T":{"Type":"AWS::DynamoDB::Table","Properties":{
      "TableName":{"Fn::Sub":["${AWS::StackName}-${s}",{"s":{"Ref":"Stage"}}]},
      "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
      "BillingMode":{"Fn::If":["OnDemand","PAY_PER_REQUEST","PROVISIONED"]}}}}})") == expected);
}

TEST_CASE("stack templates: mistakes have place and member", "[server]") {
  CHECK(table_with("      TableName: x\n") == "t.yaml:3:3: T: KeySchema is missing\n");
  CHECK(with_keys("      GlobalSecondaryIndexes:\n"
                  "        - IndexName: i\n"
                  "          KeySchema: [{AttributeName: a, KeyType: HASH}]\n"
                  "          Projection: {NonKeyAttributes: [a]}\n") ==
        "t.yaml:10:23: T.GlobalSecondaryIndexes[0].Projection: ProjectionType is missing\n");
  CHECK(with_keys("      BillingMode: [a]\n") == "t.yaml:7:20: T.BillingMode: it must be a text\n");
  CHECK(with_keys("      ProvisionedThroughput: {ReadCapacityUnits: a, WriteCapacityUnits: 1}\n") ==
        "t.yaml:7:50: T.ProvisionedThroughput.ReadCapacityUnits: it must be a whole number\n");
  CHECK(with_keys("      DeletionProtectionEnabled: maybe\n") ==
        "t.yaml:7:34: T.DeletionProtectionEnabled: it must be true or false\n");
  CHECK(with_keys("      Tags: [{Key: a, Valeu: b}]\n") ==
        "t.yaml:7:30: T.Tags[0]: there is no member Valeu\n");
  CHECK(with_keys("      TimeToLiveSpecification: {Enabled: true}\n") ==
        "t.yaml:7:32: T.TimeToLiveSpecification: AttributeName is missing\n");
  CHECK(with_keys("      StreamSpecification: {ResourcePolicy: {}}\n") ==
        "t.yaml:7:28: T.StreamSpecification: StreamViewType is missing\n");
  CHECK(with_keys("      Fn::Transform: {Name: X}\n").find("T: Fn::Transform is not evaluated") !=
        std::string::npos);
  // All mistakes of a file, not the first alone.
  CHECK(with_keys("      BillingMode: [a]\n      TableClass: [b]\n") ==
        "t.yaml:7:20: T.BillingMode: it must be a text\n"
        "t.yaml:8:19: T.TableClass: it must be a text\n");
}

TEST_CASE("stack templates: what only AWS knows matters in tables alone", "[server]") {
  const std::string body = "{\"TableName\":\"T\"," + kKeysBody + "}\n";
  CHECK(read_yaml_template(std::string("Resources:\n"
                                       "  F: {Type: 'AWS::Lambda::Function', Properties: {Role: "
                                       "'{{resolve:ssm:/x}}', V: !Cidr [a], W: !Ref Nowhere}}\n"
                                       "  Fn::Transform: {Name: 'AWS::Include'}\n"
                                       "  Fn::ForEach::Topics: [T, [a], {'X${T}': {Type: "
                                       "'AWS::SNS::Topic'}}]\n"
                                       "  T:\n"
                                       "    Type: AWS::DynamoDB::Table\n"
                                       "    Properties:\n") +
                           kKeys +
                           "      SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt "
                           "Key.Arn}\n"
                           "      ResourcePolicy: {PolicyDocument: {P: !GetAtt Role.Arn}}\n") ==
        "T -> T\n" + body + "left out SSESpecification\nleft out ResourcePolicy\n");
  CHECK(with_keys("      TableName: '{{resolve:ssm:/x}}'\n")
            .starts_with("t.yaml:7:18: T.TableName: '{{resolve:ssm:/x}}' is known to AWS alone"));
  CHECK(read_yaml_template("Resources:\n"
                           "  Fn::ForEach::Tables: [T, [a], {'X${T}': {Type: "
                           "'AWS::DynamoDB::Table'}}]\n")
            .starts_with("t.yaml:2:3: Fn::ForEach::Tables makes tables"));
}

TEST_CASE("stack templates: attributes that only a vector index needs", "[server]") {
  CHECK(read_yaml_template(
            "Resources:\n"
            "  T:\n"
            "    Type: AWS::DynamoDB::Table\n"
            "    Properties:\n"
            "      KeySchema: [{AttributeName: a, KeyType: HASH}]\n"
            "      AttributeDefinitions:\n"
            "        - {AttributeName: a, AttributeType: S}\n"
            "        - {AttributeName: b, AttributeType: S}\n"
            "        - {AttributeName: c, AttributeType: S}\n"
            "      GlobalSecondaryIndexes:\n"
            "        - {IndexName: g, KeySchema: [{AttributeName: c, KeyType: HASH}], "
            "Projection: {ProjectionType: ALL}}\n"
            "      VectorIndexes:\n"
            "        - {IndexName: v, SearchSchema: [{AttributeName: a}, {AttributeName: b}, "
            "{AttributeName: c}]}\n") ==
        "T -> T\n"
        R"({"TableName":"T","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},)"
        R"({"AttributeName":"c","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a",)"
        R"("KeyType":"HASH"}],"GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":)"
        R"([{"AttributeName":"c","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]})"
        "\nleft out VectorIndexes\n");
}

TEST_CASE("stack templates: names", "[server]") {
  const std::string text = std::string(
      "Resources:\n"
      "  T: {Type: 'AWS::DynamoDB::Table', Properties: &p "
      "{KeySchema: [{AttributeName: a, KeyType: HASH}]}}\n"
      "  Named: {Type: 'AWS::DynamoDB::Table', Properties: {<<: "
      "*p, TableName: !Sub 'x-${T}'}}\n");
  const auto names = [&](const ReadOptions& options) {
    std::string found;
    const auto tables = templates::read_template_text(text, "my/stack.prod.yaml", options);
    if (!tables) return test::shown(tables);
    for (const auto& table : *tables) found += table.name + " ";
    return found;
  };
  ReadOptions options;
  CHECK(names(options) == "T x-T ");
  options.names = ReadOptions::Names::Stack;
  CHECK(names(options) == "stack-T x-stack-T ");
  options.stack_name = "app";
  options.table_names = {{"T", "chosen"}};
  CHECK(names(options) == "chosen x-chosen ");
  options.table_names = {{"Named", "other"}};
  CHECK(names(options) == "app-T other ");
  options.table_names = {{"Nobody", "x"}};
  CHECK(names(options) == "--name Nobody=x: there is no such table\n");
  options.table_names = {{"T", "one"}, {"Named", "one"}};
  CHECK(names(options).find("another table has the name one too") != std::string::npos);
  CHECK(table_with(std::string(kKeys) + "      TableName: !Sub 'x-${T}'\n")
            .find("T.TableName: the name of T refers to itself") != std::string::npos);
}

TEST_CASE("stack templates: a resource's condition", "[server]") {
  const std::string text =
      "Parameters: {P: {Type: String, Default: 'no'}}\n"
      "Conditions: {C: !Equals [!Ref P, 'yes']}\n"
      "Resources:\n"
      "  T: {Type: 'AWS::DynamoDB::Table', Condition: C, Properties: {TableName: !Ref Nowhere}}\n";
  CHECK(read_yaml_template(text) == "t.yaml: there are no tables in it\n");
  ReadOptions options;
  options.parameters = {{"P", "yes"}};
  CHECK(read_yaml_template(text, options).find("T.TableName: there is no parameter") !=
        std::string::npos);
}

TEST_CASE("stack templates: the old form of keys", "[server]") {
  CHECK(table_with("      KeySchema:\n"
                   "        HashKeyElement: {AttributeName: a, AttributeType: S}\n"
                   "        RangeKeyElement: {AttributeName: b, AttributeType: N}\n") ==
        "T -> T\n"
        R"({"TableName":"T","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},)"
        R"({"AttributeName":"b","AttributeType":"N"}],"KeySchema":[{"AttributeName":"a",)"
        R"("KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}]})"
        "\n");
}

TEST_CASE("stack templates: SimpleTable of SAM", "[server]") {
  CHECK(
      read_yaml_template("Transform: AWS::Serverless-2016-10-31\n"
                         "Resources:\n"
                         "  A: {Type: 'AWS::Serverless::SimpleTable'}\n"
                         "  B:\n"
                         "    Type: AWS::Serverless::SimpleTable\n"
                         "    Properties:\n"
                         "      TableName: named\n"
                         "      PrimaryKey: {Name: n, Type: Number}\n"
                         "      ProvisionedThroughput: {ReadCapacityUnits: 2, "
                         "WriteCapacityUnits: 3}\n"
                         "      Tags: {k: v}\n"
                         "      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: "
                         "true}\n") ==
      "A -> A\n"
      R"({"TableName":"A","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],)"
      R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"})"
      "\nB -> named\n"
      R"({"TableName":"named","AttributeDefinitions":[{"AttributeName":"n","AttributeType":"N"}],)"
      R"("KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],"ProvisionedThroughput":)"
      R"({"ReadCapacityUnits":2,"WriteCapacityUnits":3},"Tags":[{"Key":"k","Value":"v"}]})"
      "\nrecovery on\n");
}

TEST_CASE("stack templates: a stream of Kinesis whose name is known", "[server]") {
  const std::string table =
      "      AttributeDefinitions: [{AttributeName: a, AttributeType: S}]\n"
      "      KeySchema: [{AttributeName: a, KeyType: HASH}]\n"
      "      BillingMode: PAY_PER_REQUEST\n"
      "      KinesisStreamSpecification: ";
  const auto end_of = [&](const std::string& specification) {
    const std::string text = table_with(table + specification + "\n");
    return text.substr(text.find("}\n") + 2);
  };
  CHECK(end_of("{StreamArn: !Sub 'arn:aws:kinesis:${AWS::Region}:${AWS::AccountId}:stream/s', "
               "ApproximateCreationDateTimePrecision: MICROSECOND}") ==
        "kinesis arn:aws:kinesis:us-east-1:000000000000:stream/s MICROSECOND\n");
  CHECK(end_of("!Ref AWS::NoValue").empty());
  CHECK(table_with(table + "{}\n") ==
        "t.yaml:9:35: T.KinesisStreamSpecification: StreamArn is missing\n");
}

TEST_CASE("stack templates: a global table is its own Region's", "[server]") {
  const std::string text = R"({"Resources":{"G":{"Type":"AWS::DynamoDB::GlobalTable","Properties":{
    "AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
    "WriteProvisionedThroughputSettings":{"WriteCapacityAutoScalingSettings":
      {"MinCapacity":2,"MaxCapacity":9,"SeedCapacity":3}},
    "GlobalSecondaryIndexes":[{"IndexName":"i","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
      "Projection":{"ProjectionType":"ALL"},"WriteProvisionedThroughputSettings":
      {"WriteCapacityAutoScalingSettings":{"MinCapacity":4,"MaxCapacity":9}}}],
    "Replicas":[{"Region":"eu-west-1","Tags":[{"Key":"r","Value":"eu"}],
        "ReadProvisionedThroughputSettings":{"ReadCapacityUnits":8},
        "GlobalSecondaryIndexes":[{"IndexName":"i","ReadProvisionedThroughputSettings":
          {"ReadCapacityUnits":7}}]},
      {"Region":"us-east-1","TableClass":"STANDARD","DeletionProtectionEnabled":true,
        "KinesisStreamSpecification":{"StreamArn":{"Fn::GetAtt":["S","Arn"]}},
        "PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":false},
        "ReadProvisionedThroughputSettings":{"ReadCapacityAutoScalingSettings":{"MinCapacity":5}},
        "GlobalSecondaryIndexes":[{"IndexName":"i","ReadProvisionedThroughputSettings":
          {"ReadCapacityUnits":6},"ContributorInsightsSpecification":{"Enabled":true}}]}]}}}})";
  const std::string own = read_text_as("g.json", text);
  CHECK(own ==
        "G -> G\n"
        R"({"TableName":"G","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],)"
        R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"ProvisionedThroughput":)"
        R"({"ReadCapacityUnits":5,"WriteCapacityUnits":3},"GlobalSecondaryIndexes":[{"IndexName":)"
        R"("i","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":)"
        R"({"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":6,)"
        R"("WriteCapacityUnits":4}}],"TableClass":"STANDARD","DeletionProtectionEnabled":true})"
        "\nrecovery off\ninsights on i\nleft out Replicas of other Regions\n"
        "left out KinesisStreamSpecification\n");
  ReadOptions options;
  options.region = "eu-west-1";
  const std::string other = read_text_as("g.json", text, options);
  CHECK(other.find(R"("ReadCapacityUnits":8,"WriteCapacityUnits":3)") != std::string::npos);
  CHECK(other.find(R"("Tags":[{"Key":"r","Value":"eu"}])") != std::string::npos);
}

TEST_CASE("stack templates: a global table on demand, as CDK writes it", "[server]") {
  CHECK(read_yaml_template(R"(
Resources:
  G:
    Type: AWS::DynamoDB::GlobalTable
    Properties:
      TableName: g
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: a, AttributeType: S}]
      KeySchema: [{AttributeName: a, KeyType: HASH}]
      SSESpecification: {SSEEnabled: false}
      WriteOnDemandThroughputSettings: {MaxWriteRequestUnits: 10}
      TimeToLiveSpecification: {Enabled: true, AttributeName: e}
      Replicas:
        - Region: !Ref AWS::Region
          ReadOnDemandThroughputSettings: {MaxReadRequestUnits: 20}
    UpdateReplacePolicy: Retain
)") == "G -> g\n"
       R"({"TableName":"g","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],)"
       R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",)"
       R"("OnDemandThroughput":{"MaxReadRequestUnits":20,"MaxWriteRequestUnits":10}})"
       "\nttl e\n");
}

}  // namespace
}  // namespace stator

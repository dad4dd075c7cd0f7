// CloudFormation's functions, in the forms that templates have them.
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/templates/templates_fixture.h"

namespace stator {
namespace {

using templates::ReadOptions;

// The value of a table's tag, for an expression in YAML; or the mistake.
std::string value_of(const std::string& expression, const ReadOptions& options = {},
                     const std::string& sections = {}) {
  std::string text =
      "Parameters:\n"
      "  Stage: {Type: String, Default: dev, AllowedValues: [dev, prod]}\n"
      "  Need: {Type: Number, Description: how many}\n"
      "  Stored: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /a/b}\n"
      "  List: {Type: CommaDelimitedList, Default: 'a, b,c'}\n"
      "Mappings:\n"
      "  M: {dev: {x: one, l: [p, q]}}\n"
      "Conditions:\n"
      "  IsDev: !Equals [!Ref Stage, dev]\n"
      "  IsProd: !Not [!Condition IsDev]\n"
      "  Both: !And [!Condition IsDev, !Or [!Condition IsProd, !Equals [a, a]]]\n"
      "  Loop: !Not [!Condition Loop]\n"
      "Resources:\n"
      "  Bucket: {Type: 'AWS::S3::Bucket', Properties: {BucketName: !Ref Nothing}}\n"
      "  Other: {Type: 'AWS::DynamoDB::Table', Properties: {TableName: other-name, KeySchema: "
      "[{AttributeName: a, KeyType: HASH}]}}\n"
      "  T:\n"
      "    Type: AWS::DynamoDB::Table\n"
      "    Properties:\n"
      "      KeySchema: [{AttributeName: a, KeyType: HASH}]\n"
      "      Tags: [{Key: k, Value: ";
  text.append(expression).append("}]\n").append(sections);
  const std::string result = test::read_yaml_template(text, options);
  const std::size_t start = result.find("\"Value\":");
  if (start == std::string::npos) return result;
  return result.substr(start + 8, result.find("}]", start) - start - 8);
}

TEST_CASE("template functions: names", "[server]") {
  ReadOptions options;
  options.parameters = {{"Need", "3"}};
  options.imports = {{"exported", "from there"}};
  options.account_id = "123456789012";
  CHECK(value_of("!Ref Stage") == "\"dev\"");
  CHECK(value_of("!Ref Need", options) == "\"3\"");
  CHECK(value_of("!Ref AWS::Region") == "\"us-east-1\"");
  CHECK(value_of("!Ref AWS::AccountId", options) == "\"123456789012\"");
  CHECK(value_of("!Ref AWS::StackName") == "\"t\"");
  CHECK(value_of("!Ref AWS::URLSuffix") == "\"amazonaws.com\"");
  CHECK(value_of("!Ref Other") == "\"other-name\"");
  CHECK(value_of("!GetAtt Other.Arn") ==
        "\"arn:aws:dynamodb:us-east-1:000000000000:table/other-name\"");
  CHECK(value_of("{Fn::GetAtt: [Other, Arn]}").find("table/other-name") != std::string::npos);
  CHECK(value_of("!FindInMap [M, !Ref Stage, x]") == "\"one\"");
  CHECK(value_of("!FindInMap [M, prod, x, {DefaultValue: two}]") == "\"two\"");
  CHECK(value_of("!ImportValue exported", options) == "\"from there\"");
}

TEST_CASE("template functions: texts and lists", "[server]") {
  CHECK(value_of("!Sub '${AWS::StackName}-${Stage}-${Other}-${Other.Arn}-${!Literal}'") ==
        "\"t-dev-other-name-arn:aws:dynamodb:us-east-1:000000000000:table/other-name-${Literal}\"");
  CHECK(value_of("!Sub ['${a}-${Stage}', {a: !Select [1, !Ref List]}]") == "\"b-dev\"");
  CHECK(value_of("!Join ['-', [x, !Ref Stage, !Join ['', [y, z]]]]") == "\"x-dev-yz\"");
  CHECK(value_of("!Join ['/', !Ref List]") == "\"a/b/c\"");
  CHECK(value_of("!Select ['2', !Split [':', 'a:b:c']]") == "\"c\"");
  CHECK(value_of("!Join ['', !FindInMap [M, dev, l]]") == "\"pq\"");
  CHECK(value_of("{Fn::Base64: !Sub '${Stage}'}") == "\"ZGV2\"");
  CHECK(value_of("!ToJsonString {a: [1, !Ref Stage]}") == R"("{\"a\":[1,\"dev\"]}")");
  CHECK(value_of("!Length [a, b]") == "\"2\"");
}

TEST_CASE("template functions: conditions", "[server]") {
  ReadOptions prod;
  prod.parameters = {{"Stage", "prod"}};
  CHECK(value_of("!If [IsDev, yes, no]") == "\"yes\"");
  CHECK(value_of("!If [IsDev, yes, no]", prod) == "\"no\"");
  CHECK(value_of("!If [Both, !If [IsProd, a, b], c]") == "\"b\"");
  // What is not chosen is not evaluated.
  CHECK(value_of("!If [IsDev, yes, !Ref Nowhere]") == "\"yes\"");
  CHECK(value_of("!If [Loop, a, b]") == "t.yaml:12:15: T.Tags: condition Loop depends on itself\n");
  CHECK(value_of("!If [Nowhere, a, b]") == "t.yaml:20:35: T.Tags: there is no condition Nowhere\n");
}

TEST_CASE("template functions: what cannot be known says what to do", "[server]") {
  CHECK(value_of("!Ref Need") ==
        "t.yaml:20:30: T.Tags: parameter Need (Number: how many) has no default; give its value: "
        "--param Need=VALUE\n");
  CHECK(value_of("!Ref Stored")
            .find("is in the Parameter Store of AWS; give its value: --param "
                  "Stored=VALUE") != std::string::npos);
  CHECK(value_of("!Ref Bucket").find("resource Bucket is no table") != std::string::npos);
  CHECK(value_of("!GetAtt Bucket.Arn").find("Arn of resource Bucket, which is no table") !=
        std::string::npos);
  CHECK(value_of("!GetAtt Other.StreamArn").find("exists only after its creation") !=
        std::string::npos);
  CHECK(value_of("!Ref Nowhere").find("there is no parameter or resource Nowhere") !=
        std::string::npos);
  CHECK(value_of("!ImportValue x").find("--import-value x=VALUE") != std::string::npos);
  CHECK(value_of("'{{resolve:ssm:/x}}'").find("is known to AWS alone") != std::string::npos);
  CHECK(value_of("!Cidr [a, 1, 2]").find("Fn::Cidr is not evaluated here") != std::string::npos);
  CHECK(value_of("!Transform {Name: X}").find("Fn::Transform is not evaluated here") !=
        std::string::npos);
  CHECK(value_of("!Select [9, [a]]").find("Fn::Select has no element 9") != std::string::npos);
  CHECK(value_of("!FindInMap [M, dev, y]").find("there is no value M.dev.y") != std::string::npos);
}

TEST_CASE("template functions: parameters are checked", "[server]") {
  ReadOptions options;
  options.parameters = {{"Stage", "test"}};
  CHECK(value_of("!Ref Stage", options).find("parameter Stage is 'test', but may be dev, prod") !=
        std::string::npos);
  options.parameters = {{"Stgae", "prod"}};
  CHECK(value_of("x", options) == "--param Stgae: no template has this parameter\n");
}

TEST_CASE("template functions: expansion has a bound", "[server][slow]") {
  std::string nested = "x";
  for (int i = 0; i < 16; ++i)
    nested = "!Sub ['${a}${a}${a}${a}${a}${a}${a}${a}${a}${a}', {a: " + nested + "}]";
  CHECK(value_of(nested).find("functions and variables produce too much") != std::string::npos);
}

}  // namespace
}  // namespace stator

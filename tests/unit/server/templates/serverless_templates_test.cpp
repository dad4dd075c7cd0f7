// Tables of a serverless.yml, with its variables.
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/templates/templates_fixture.h"

namespace stator {
namespace {

using templates::ReadOptions;

// The name of the one table, whose TableName this is; or the mistakes.
std::string name_of(const std::string& table_name, const ReadOptions& options = {},
                    const std::string& rest = {}) {
  std::string text =
      "service: shop\n"
      "provider:\n"
      "  name: aws\n"
      "  stage: ${opt:stage, 'dev'}\n"
      "  environment:\n"
      "    TABLE: ${self:service}-${opt:stage, self:provider.stage}\n"
      "custom:\n"
      "  names: {dev: first, prod: second}\n"
      "  list: [zero, one]\n"
      "  loop: ${self:custom.loop}\n"
      "  tags: {a: '${self:custom.names.dev}'}\n";
  text.append(rest).append(
      "resources:\n"
      "  Resources:\n"
      "    Fn: {Type: 'AWS::Lambda::Function', Properties: {Role: '${ssm:/role}'}}\n"
      "    T:\n"
      "      Type: AWS::DynamoDB::Table\n"
      "      Properties:\n"
      "        KeySchema: [{AttributeName: a, KeyType: HASH}]\n"
      "        TableName: ");
  text.append(table_name).append("\n");
  const auto tables = templates::read_template_text(text, "serverless.yml", options);
  return tables ? tables->front().name : test::shown(tables);
}

TEST_CASE("serverless: variables", "[server]") {
  ReadOptions options;
  options.variables = {{"stage", "prod"}};
  options.environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "SET") return "from there";
    return std::nullopt;
  };
  CHECK(name_of("${self:provider.environment.TABLE}") == "shop-dev");
  CHECK(name_of("${self:provider.environment.TABLE}", options) == "shop-prod");
  CHECK(name_of("${self:service}-${sls:stage}-t") == "shop-dev-t");
  CHECK(name_of("${self:custom.names.${opt:stage, 'dev'}}") == "first");
  CHECK(name_of("${self:custom.names.${opt:stage, 'dev'}}", options) == "second");
  CHECK(name_of("${self:custom.list.1}") == "one");
  CHECK(name_of("${env:SET, 'd'}-${env:UNSET, \"d\"}", options) == "from there-d");
  CHECK(name_of("${self:custom.nowhere, self:custom.names.dev}") == "first");
  CHECK(name_of("${self:custom.nowhere, ${self:custom.names.prod}}") == "second");
  CHECK(name_of("t${self:custom.nowhere, 12}") == "t12");
  CHECK(name_of("${aws:region}-${aws:accountId}") == "us-east-1-000000000000");
  CHECK(name_of("!Sub '${self:service}-${AWS::Region}-${AWS::StackName}'") ==
        "shop-us-east-1-shop-dev");
  CHECK(name_of("${param:x}", {}, "params: {default: {x: p}, dev: {x: q}}\n") == "q");
  options.parameters = {{"x", "given"}};
  CHECK(name_of("${param:x}", options) == "given");
}

TEST_CASE("serverless: what cannot be known says what to do", "[server]") {
  CHECK(name_of("${opt:name}") ==
        "serverless.yml:19:20: T.TableName: ${opt:name} has no value; options are given by --var "
        "NAME=VALUE\n");
  CHECK(name_of("${ssm:/name, 'd'}") ==
        "serverless.yml:19:20: T.TableName: ${ssm:/name}: only Serverless can resolve it: "
        "serverless print --format json | stator apply -\n");
  CHECK(name_of("${cf:stack.out}").find("only Serverless can resolve it") != std::string::npos);
  CHECK(name_of("${file(./names.js):t}").find("only YAML and JSON are read") != std::string::npos);
  CHECK(name_of("${self:custom.loop}").find("depend on each other without an end") !=
        std::string::npos);
  CHECK(name_of("${self:custom.names}").find("it must be a text") != std::string::npos);
  CHECK(name_of("x${self:custom.names}").find("${self:custom.names} is no text") !=
        std::string::npos);
  CHECK(name_of("'${self:custom'").find("'${' has no '}'") != std::string::npos);
}

TEST_CASE("serverless: other files, and resources in parts", "[server]") {
  const test::TemplateFolder folder;
  folder.write("parts/tables.yml",
               "Resources:\n"
               "  A:\n"
               "    Type: AWS::DynamoDB::Table\n"
               "    Properties: ${file(./parts/${opt:which, 'one'}.json):properties}\n");
  folder.write("parts/one.json",
               R"({"properties":{"TableName":"${self:service}-a",)"
               R"("KeySchema":[{"AttributeName":"${self:custom.key}","KeyType":"HASH"}]}})");
  const std::string path = folder.write("serverless.yml",
                                        "service: {name: shop}\n"
                                        "provider: aws\n"
                                        "custom: ${file(./none.yml), file(./custom.yml)}\n"
                                        "resources:\n"
                                        "  - ${file(parts/tables.yml)}\n"
                                        "  - Conditions: {Never: !Equals [a, b]}\n"
                                        "    Resources:\n"
                                        "      B:\n"
                                        "        Type: AWS::DynamoDB::Table\n"
                                        "        Condition: Never\n"
                                        "  - Outputs: {X: {Value: !Ref A}}\n");
  folder.write("custom.yml", "key: pk\n");
  const auto text = test::shown(templates::read_templates({path}, {}));
  CAPTURE(text);
  // The service is a map here, so only its name is a text.
  CHECK(text.find("${self:service} is no text") != std::string::npos);

  folder.write("parts/one.json",
               R"({"properties":{"TableName":"${self:service.name}-a",)"
               R"("KeySchema":[{"AttributeName":"${self:custom.key}","KeyType":"HASH"}]}})");
  CHECK(test::shown(templates::read_templates({path}, {})) ==
        "A -> shop-a\n"
        R"({"TableName":"shop-a","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})"
        "\n");
  ReadOptions options;
  options.variables = {{"which", "none"}};
  CHECK(test::shown(templates::read_templates({path}, options)).find("has no value") !=
        std::string::npos);
  folder.write("parts/one.json", "{\"properties\": }");
  CHECK(test::shown(templates::read_templates({path}, {})) ==
        folder.path("parts/one.json") + ":1:16: this is no valid JSON\n");
}

TEST_CASE("serverless: variables that grow have a bound", "[server]") {
  std::string custom = "custom:\n  a0: [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "'${self:custom.a" + std::to_string(i - 1) + "}'";
    custom += "  a" + std::to_string(i) + ": [" + before + ", " + before + "]\n";
  }
  const std::string text = "service: s\nprovider: aws\n" + custom +
                           "resources:\n  Resources:\n    T:\n      Type: AWS::DynamoDB::Table\n"
                           "      Properties: {KeySchema: '${self:custom.a39}'}\n";
  const std::string result = test::read_text_as("serverless.yml", text);
  CAPTURE(result);
  CHECK((result.find("without an end") != std::string::npos ||
         result.find("produce too much") != std::string::npos));
}

}  // namespace
}  // namespace stator

#include <catch2/catch.hpp>

#include "tests/unit/server/templates/templates_fixture.h"

namespace stator {
namespace {

// A template with a table T of this name, after other sections.
std::string named(const std::string& name, const std::string& sections = {}) {
  return sections +
         "Resources:\n"
         "  T:\n"
         "    Type: AWS::DynamoDB::Table\n"
         "    Properties:\n"
         "      TableName: " +
         name +
         "\n"
         "      KeySchema: [{AttributeName: a, KeyType: HASH}]\n";
}

std::string output(const std::string& value, const std::string& exported) {
  return "Outputs:\n  Name:\n    Value: " + value + "\n    Export: {Name: " + exported + "}\n";
}

// The names of the tables of files in this folder, or the mistakes.
std::string names_of(const test::TemplateFolder& folder, const std::vector<std::string>& files,
                     const templates::ReadOptions& options = {}) {
  std::vector<std::string> paths;
  for (const std::string& file : files) paths.push_back(folder.path(file));
  const auto tables = templates::read_templates(paths, options);
  std::string names;
  if (tables) {
    for (const auto& table : *tables) names.append(table.name).append(" ");
    return names;
  }
  names = test::shown(tables);
  for (std::size_t at; (at = names.find(folder.folder() + "/")) != std::string::npos;)
    names.erase(at, folder.folder().size() + 1);
  return names;
}

}  // namespace

TEST_CASE("stack links: an export of another file is imported", "[server]") {
  const test::TemplateFolder folder;
  folder.write("a.yaml", named("first", output("!Ref T", "!Sub '${AWS::StackName}-name'")));
  folder.write("b.yaml", named("!Join ['-', [!ImportValue a-name, second]]"));
  CHECK(names_of(folder, {"a.yaml", "b.yaml"}) == "first first-second ");
  CHECK(names_of(folder, {"b.yaml", "a.yaml"}) == "first-second first ");
  templates::ReadOptions options;
  options.imports = {{"a-name", "given"}};
  CHECK(names_of(folder, {"a.yaml", "b.yaml"}, options) == "first given-second ");
  // A chain, and one of serverless.yml.
  folder.write("c.yaml", named("third", output("!ImportValue a-name", "c-name")));
  folder.write("serverless.yml",
               "service: s\nprovider: {name: aws}\ncustom: {suffix: x}\nresources:\n  Outputs:\n"
               "    Name: {Value: '${self:custom.suffix}', Export: {Name: s-name}}\n  Resources:\n"
               "    T:\n      Type: AWS::DynamoDB::Table\n      Properties:\n"
               "        TableName: !Join ['-', [!ImportValue c-name, s]]\n"
               "        KeySchema: [{AttributeName: a, KeyType: HASH}]\n");
  folder.write("d.yaml", named("!Join ['', [!ImportValue s-name, d]]"));
  CHECK(names_of(folder, {"d.yaml", "serverless.yml", "c.yaml", "a.yaml"}) ==
        "xd first-s third first ");
}

TEST_CASE("stack links: imports without a value", "[server]") {
  const test::TemplateFolder folder;
  folder.write("a.yaml", named("one", output("!Ref T", "a-name")));
  folder.write("b.yaml", named("!ImportValue b-name"));
  CHECK(names_of(folder, {"a.yaml", "b.yaml"}) ==
        "b.yaml:5:18: T.TableName: no other file exports b-name: add the file that does, or "
        "--import-value b-name=VALUE\n");
  // A template's own exports are there only after its tables.
  folder.write("b.yaml", named("!ImportValue b-name", output("x", "b-name")));
  CHECK(names_of(folder, {"a.yaml", "b.yaml"}).find("no other file exports b-name") !=
        std::string::npos);
  folder.write("b.yaml", named("!ImportValue a-name"));
  folder.write("c.yaml", named("two", output("x", "a-name")));
  CHECK(names_of(folder, {"a.yaml", "b.yaml", "c.yaml"}).find("export a-name is in ") !=
        std::string::npos);
  folder.write("a.yaml", named("one",
                               "Conditions: {No: !Equals [a, b]}\nOutputs:\n  Name: {Value: "
                               "x, Condition: No, Export: {Name: a-name}}\n"));
  CHECK(names_of(folder, {"a.yaml", "b.yaml"}).find("no other file exports a-name") !=
        std::string::npos);
  folder.write("a.yaml", named("one", output("!Ref Bucket", "a-name")) +
                             "  Bucket: {Type: AWS::S3::Bucket}\n");
  CHECK(names_of(folder, {"a.yaml", "b.yaml"}) ==
        "b.yaml:5:18: T.TableName: a.yaml:3:12: resource Bucket is no table, so its value is known "
        "to AWS alone\n");
}

TEST_CASE("stack links: imports in a circle", "[server]") {
  const test::TemplateFolder folder;
  folder.write("a.yaml", named("!ImportValue b-name", output("!Ref T", "a-name")));
  folder.write("b.yaml", named("!ImportValue a-name", output("!Ref T", "b-name")));
  const std::string said = names_of(folder, {"a.yaml", "b.yaml"});
  CHECK(said.starts_with("a.yaml:9:18: T.TableName: "));
  CHECK(said.find(" refers to itself\n") != std::string::npos);
  folder.write("a.yaml", named("x", output("!ImportValue b-name", "a-name")));
  folder.write("b.yaml", named("y", output("!ImportValue a-name", "b-name")));
  folder.write("c.yaml", named("!ImportValue a-name"));
  CHECK(names_of(folder, {"a.yaml", "b.yaml", "c.yaml"}).find("output Name refers to itself") !=
        std::string::npos);
  CHECK(names_of(folder, {"a.yaml", "b.yaml"}) == "x y ");  // no table needs them
}

namespace {

// A parent in cdk.out with a nested stack of these properties.
std::string parent(const std::string& parameters, const std::string& more = {}) {
  return R"({"Parameters":{"Stage":{"Type":"String","Default":"dev"}},)"
         R"("Conditions":{"No":{"Fn::Equals":["a","b"]}},"Resources":{"N":{)" +
         more +
         R"("Type":"AWS::CloudFormation::Stack","Properties":{"TemplateURL":{"Fn::Join":["",[)"
         R"("https://s3.",{"Ref":"AWS::Region"}]]},"Parameters":{)" +
         parameters + R"(}},"Metadata":{"aws:asset:path":"N.nested.template.json"}},)" +
         R"("P":{"Type":"AWS::DynamoDB::Table","Properties":{"TableName":"p","KeySchema":)"
         R"([{"AttributeName":"a","KeyType":"HASH"}]}}}})";
}

std::string child(const std::string& declared, const std::string& outputs = "{}") {
  return R"({"Parameters":{"Name":)" + declared + R"(},"Outputs":)" + outputs +
         R"(,"Resources":{"T":{"Type":"AWS::DynamoDB::Table","Properties":{"TableName":)"
         R"({"Ref":"Name"},"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}}}})";
}

const std::string kText = R"({"Type":"String"})";

}  // namespace

TEST_CASE("stack links: a nested stack has the parameters of its parent", "[server]") {
  const test::TemplateFolder folder;
  const auto read = [&](const std::string& parameters, const std::string& more = {},
                        const templates::ReadOptions& options = {}) {
    folder.write("A.template.json", parent(parameters, more));
    return names_of(folder, {""}, options);
  };
  folder.write("N.nested.template.json", child(kText));
  CHECK(read(R"("Name":{"Fn::Sub":"${P}-${Stage}"})") == "p p-dev ");
  templates::ReadOptions options;
  options.parameters = {{"Name", "given"}, {"Stage", "x"}};
  CHECK(read(R"("Name":{"Fn::Sub":"${P}-${Stage}"})", {}, options) == "p p-x ");
  CHECK(read(R"("Name":["a","b"])") == "p a,b ");
  // Without a value of the parent's, the user's counts.
  CHECK(read(R"("Name":{"Ref":"AWS::NoValue"})", {}, options) == "p given ");
  CHECK(read(R"("Name":{"Ref":"N"})", {}, options) == "p given ");
  const std::string lost = read(R"("Name":{"Ref":"N"})");
  CHECK(lost.starts_with("N.nested.template.json:1:"));
  CHECK(lost.find("T.TableName: parameter Name: A.template.json:1:") != std::string::npos);
  CHECK(lost.find("resource N is no table, so its value is known to AWS alone; give its value: "
                  "--param Name=VALUE\n") != std::string::npos);
  CHECK(read("").find("parameter Name (String) has no default") != std::string::npos);
  // A condition of the parent leaves the whole nested stack out.
  CHECK(read(R"("Name":"n")", R"("Condition":"No",)") == "p ");
}

TEST_CASE("stack links: outputs of nested stacks", "[server]") {
  const test::TemplateFolder folder;
  folder.write("N.nested.template.json", child(kText, R"({"Made":{"Value":{"Ref":"T"}}})"));
  folder.write("O.nested.template.json", child(kText));
  const auto read = [&](const std::string& from) {
    std::string text = parent(R"("Name":"n")");
    text.insert(text.find("\"P\":"),
                R"("O":{"Type":"AWS::CloudFormation::Stack","Properties":{"Parameters":{"Name":)" +
                    from + R"(}},"Metadata":{"aws:asset:path":"O.nested.template.json"}},)");
    folder.write("A.template.json", text);
    return names_of(folder, {""});
  };
  CHECK(read(R"({"Fn::Join":["-",[{"Fn::GetAtt":["N","Outputs.Made"]},"o"]]})") == "p n n-o ");
  CHECK(read(R"({"Fn::GetAtt":["N","Outputs.Other"]})").find("is known to AWS alone") !=
        std::string::npos);
  // One that needs itself.
  folder.write("O.nested.template.json", child(kText, R"({"Made":{"Value":{"Ref":"Name"}}})"));
  CHECK(read(R"({"Fn::GetAtt":["O","Outputs.Made"]})").find(" refers to itself") !=
        std::string::npos);
}

TEST_CASE("stack links: a nested stack of SAM by its path", "[server]") {
  const test::TemplateFolder folder;
  folder.write("app.yaml",
               "Resources:\n  N:\n    Type: AWS::Serverless::Application\n    Properties:\n"
               "      Location: ./inner/nested.yaml\n      Parameters: {Name: inner}\n");
  folder.write("inner/nested.yaml", named("!Ref Name", "Parameters: {Name: {Type: String}}\n"));
  CHECK(names_of(folder, {"app.yaml", "inner/nested.yaml"}) == "inner ");
  CHECK(names_of(folder, {"inner/nested.yaml", "app.yaml"}) == "inner ");
}

}  // namespace stator

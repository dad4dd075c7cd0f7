// What --seed finds in a file or a folder: tables, and the files with their items.
#include "server/templates/seeding/seed_files.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/templates/templates_fixture.h"

namespace stator::templates {
namespace {

using test::TemplateFolder;

constexpr const char* kBody =
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",)"
    R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}])";

// The input of a CreateTable, with more members.
std::string table_json(const std::string& more = {}) {
  return std::string("{").append(kBody).append(more).append("}");
}

std::string template_of(const std::string& id) {
  return R"({"Resources":{")" + id + R"(":{"Type":"AWS::DynamoDB::Table","Properties":{)" + kBody +
         "}}}}";
}

// "NAME (template): file file", one table a line; or the problems. Paths lose their folder.
std::string seed_of(const TemplateFolder& folder, const std::string& path) {
  const auto seed = read_seed(path, {});
  std::string text;
  if (seed) {
    for (const SeedTable& table : *seed) {
      text.append(table.table.name).append(table.is_of_template ? " (template):" : ":");
      for (const std::string& file : table.files)
        text.append(" ").append(std::filesystem::path(file).filename().string());
      text += '\n';
    }
    return text;
  }
  for (const std::string& problem : seed.error()) text.append(problem).append("\n");
  for (std::size_t at = text.find(folder.folder()); at != std::string::npos;
       at = text.find(folder.folder()))
    text.erase(at, folder.folder().size() + 1);
  return text;
}

std::string seed_of(const TemplateFolder& folder) { return seed_of(folder, folder.folder()); }

}  // namespace

TEST_CASE("seed files: tables with the files of their items", "[server]") {
  const TemplateFolder folder;
  folder.write("orders.table.json", table_json());
  folder.write("orders.jsonl", "");
  folder.write("orders.2.csv", "");
  folder.write("orders", "");
  folder.write("users.table.json", table_json());
  folder.write(".hidden", "");
  folder.write("README.md", "");
  folder.write("LICENSE", "");
  CHECK(seed_of(folder) == "orders: orders orders.2.csv orders.jsonl\nusers:\n");
}

TEST_CASE("seed files: the longest name that fits has the items", "[server]") {
  const TemplateFolder folder;
  folder.write("all.table.json", table_json());
  folder.write("all.b.table.json", table_json());
  folder.write("all.b.csv", "");
  folder.write("all.c.csv", "");
  CHECK(seed_of(folder) == "all.b: all.b.csv\nall: all.c.csv\n");
}

TEST_CASE("seed files: settings that CreateTable does not have", "[server]") {
  const TemplateFolder folder;
  const std::string path = folder.write(
      "ttl.table.json",
      table_json(R"(,"TimeToLiveSpecification":{"AttributeName":"e","Enabled":true},)"
                 R"("PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,)"
                 R"("RecoveryPeriodInDays":7},"KinesisStreamSpecification":{"StreamArn":"arn:s",)"
                 R"("ApproximateCreationDateTimePrecision":"MICROSECOND"})"));
  const auto seed = read_seed(path, {});
  REQUIRE(seed);
  REQUIRE(seed->size() == 1);
  const TableShape& shape = seed->front().shape;
  CHECK(shape.ttl_attribute == "e");
  REQUIRE(shape.recovery);
  CHECK(shape.recovery->is_enabled);
  CHECK(shape.recovery->period_days == 7);
  CHECK(shape.kinesis == DesiredKinesis{"arn:s", "MICROSECOND"});
  CHECK(seed->front().table.create_body.find("Specification") == std::string::npos);
}

TEST_CASE("seed files: what is no setting is none", "[server]") {
  const TemplateFolder folder;
  const std::string path =
      folder.write("not.table.json", table_json(R"(,"PointInTimeRecoverySpecification":[],)"
                                                R"("KinesisStreamSpecification":7)"));
  const auto seed = read_seed(path, {});
  REQUIRE(seed);
  CHECK_FALSE(seed->front().shape.recovery);
  CHECK_FALSE(seed->front().shape.kinesis);
  // A period that the service does not have is its default.
  const std::string other =
      folder.write("ages.table.json",
                   table_json(R"(,"PointInTimeRecoverySpecification":)"
                              R"({"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":99})"));
  CHECK(read_seed(other, {})->front().shape.recovery->period_days == std::nullopt);
}

TEST_CASE("seed files: templates come last, and their tables have items too", "[server]") {
  const TemplateFolder folder;
  folder.write("a.template.json", template_of("Orders"));
  folder.write("users.table.json", table_json());
  folder.write("Orders.csv", "");
  folder.write("manifest.json", "{}");  // of CDK's output
  CHECK(seed_of(folder) == "users:\nOrders (template): Orders.csv\n");
  CHECK(seed_of(folder, folder.path("a.template.json")) == "Orders (template):\n");
}

TEST_CASE("seed files: what a template includes is no table's", "[server]") {
  const TemplateFolder folder;
  folder.write("serverless.yml",
               "service: s\nprovider: {name: aws}\nresources: ${file(parts/tables.yml)}\n");
  std::filesystem::create_directories(folder.path("parts/inner"));
  folder.write("parts/tables.yml",
               R"({"Resources":{"Orders":{"Type":"AWS::Serverless::SimpleTable"}}})");
  folder.write("parts/inner/more.yaml", "a: b");
  CHECK(seed_of(folder) == "Orders (template):\n");
  folder.write("parts/inner/items.csv", "");
  CHECK(seed_of(folder) ==
        "parts: no NAME.table.json and no template has the table it belongs to\n");
}

TEST_CASE("seed files: a table that CreateTable refuses", "[server]") {
  const TemplateFolder folder;
  folder.write("fits.table.json", table_json());
  folder.write("t.table.json", table_json());
  folder.write("a.template.json", template_of("Or"));
  const std::string told = seed_of(folder);
  CHECK(told.starts_with("t.table.json: t: 1 validation error detected: Value 't'"));
  CHECK(told.find("a.template.json:1:15: Or: 1 validation error detected: Value 'Or'") !=
        std::string::npos);
}

TEST_CASE("seed files: a file that belongs to no table", "[server]") {
  const TemplateFolder folder;
  folder.write("orders.table.json", table_json());
  folder.write("order.csv", "");
  CHECK(seed_of(folder) ==
        "order.csv: no NAME.table.json and no template has the table it belongs to\n");
}

TEST_CASE("seed files: mistakes of several files at once", "[server]") {
  const TemplateFolder folder;
  folder.write("a.table.json", "[]");
  folder.write("b.table.json", table_json(R"(,"TableName":"other")"));
  CHECK(seed_of(folder) ==
        "a.table.json: it is no JSON object\n"
        "b.table.json: it is of table 'other', its name is of another\n");
}

TEST_CASE("seed files: two files have one table", "[server]") {
  const TemplateFolder folder;
  folder.write("Orders.table.json", table_json());
  folder.write("a.template.json", template_of("Orders"));
  CHECK(seed_of(folder).find("another file has the table 'Orders' too") != std::string::npos);
}

TEST_CASE("seed files: a table without room for the tag of --seed", "[server]") {
  const TemplateFolder folder;
  std::string tags;
  for (int i = 0; i < 50; ++i)
    tags.append(tags.empty() ? "" : ",")
        .append(R"({"Key":"k)")
        .append(std::to_string(i))
        .append(R"(","Value":"v"})");
  folder.write("tagged.table.json", table_json(R"(,"Tags":[)" + tags + "]"));
  CHECK(seed_of(folder).find(", and --seed needs one while it loads") != std::string::npos);
}

TEST_CASE("seed files: a folder that is not there", "[server]") {
  const TemplateFolder folder;
  CHECK(seed_of(folder, folder.path("none")) == "none: No such file or directory\n");
}

}  // namespace stator::templates

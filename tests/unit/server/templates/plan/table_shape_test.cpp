#include "server/templates/plan/table_shape.h"

#include <catch2/catch.hpp>

#include "server/templates/plan/difference.h"
#include "server/templates/plan/update_steps.h"

namespace stator::templates {
namespace {

TableShape shape(const std::string& body) {
  const auto read = read_shape(body);
  REQUIRE(read);
  return *read;
}

// The members and texts of changes, one per line.
std::string changes_from(const TableShape& there, const TableShape& wanted) {
  TableState state;
  state.shape = there;
  std::string text;
  for (const Change& change : changes_of(wanted, state)) {
    text.append(change.needs_replacement ? "! " : "").append(change.member).append(": ");
    text.append(change.text).append("\n");
  }
  return text;
}

const std::string kPlain =
    R"({"TableName":"T","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST")";

}  // namespace

TEST_CASE("table shape: defaults are no difference", "[server]") {
  const TableShape plain = shape(kPlain + "}");
  const TableShape told =
      shape(kPlain +
            R"(,"TableClass":"STANDARD","DeletionProtectionEnabled":false,"Tags":[],)"
            R"("StreamSpecification":{"StreamEnabled":false},"SSESpecification":{"Enabled":false},)"
            R"("ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0},)"
            R"("OnDemandThroughput":{"MaxReadRequestUnits":-1,"MaxWriteRequestUnits":-1},)"
            R"("GlobalSecondaryIndexes":[],"LocalSecondaryIndexes":null})");
  CHECK(changes_from(plain, told).empty());
  CHECK(changes_from(told, plain).empty());
}

TEST_CASE("table shape: the order of lists does not count", "[server]") {
  const std::string start = R"({"TableName":"T","BillingMode":"PAY_PER_REQUEST",)";
  const std::string by_a =
      R"({"IndexName":"a","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
      R"("Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x","y"]}})";
  const std::string by_b =
      R"({"IndexName":"b","KeySchema":[{"AttributeName":"sk","KeyType":"HASH"}],)"
      R"("Projection":{"ProjectionType":"ALL"}})";
  std::string turned = by_a;
  turned.replace(turned.find(R"("x","y")"), 7, R"("y","x")");
  const TableShape first =
      shape(start +
            R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
            R"({"AttributeName":"sk","AttributeType":"N"}],)"
            R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
            R"({"AttributeName":"sk","KeyType":"RANGE"}],"GlobalSecondaryIndexes":[)" +
            by_a + "," + by_b + R"(],"Tags":[{"Key":"a","Value":"1"},{"Key":"b","Value":"2"}]})");
  const TableShape second = shape(
      start +
      R"("KeySchema":[{"AttributeName":"sk","KeyType":"RANGE"},)"
      R"({"AttributeName":"pk","KeyType":"HASH"}],)"
      R"("AttributeDefinitions":[{"AttributeName":"sk","AttributeType":"N"},)"
      R"({"AttributeName":"pk","AttributeType":"S"}],"GlobalSecondaryIndexes":[)" +
      by_b + "," + turned +
      R"(],"Tags":[{"Key":"b","Value":"2"},{"Key":"a","Value":"1"},{"Key":"aws:x","Value":"y"}]})");
  CHECK(changes_from(first, second).empty());
}

TEST_CASE("table shape: each member that differs is told", "[server]") {
  const TableShape plain = shape(kPlain + "}");
  TableShape other = plain;
  other.is_on_demand = false;
  other.throughput = {5, 6};
  other.stream = "NEW_IMAGE";
  other.table_class = "STANDARD_INFREQUENT_ACCESS";
  other.is_protected = true;
  other.ttl_attribute = "expires";
  other.tags = {{"team", "a"}};
  other.global_indexes["by-mail"] = {{{"mail", "S", false}}, "ALL"};
  CHECK(changes_from(plain, other) ==
        "BillingMode: PAY_PER_REQUEST -> PROVISIONED\n"
        "ProvisionedThroughput: 0/0 -> 5/6\n"
        "GlobalSecondaryIndexes: + by-mail (mail S; ALL)\n"
        "StreamSpecification: off -> NEW_IMAGE\n"
        "TableClass: STANDARD -> STANDARD_INFREQUENT_ACCESS\n"
        "DeletionProtectionEnabled: off -> on\n"
        "ttl: off -> expires\n"
        "Tags: + team=a\n");
}

TEST_CASE("table shape: keys and local indexes need a replacement", "[server]") {
  const TableShape plain = shape(kPlain + "}");
  TableShape other = plain;
  other.keys[0].type = "N";
  other.local_indexes["l"] = {{{"pk", "N", false}, {"x", "S", true}}, "KEYS_ONLY"};
  CHECK(changes_from(plain, other) ==
        "! KeySchema: pk S -> pk N\n"
        "! LocalSecondaryIndexes: + l (pk N / x S; KEYS_ONLY)\n");
}

TEST_CASE("table shape: what is not said or not known is no difference", "[server]") {
  TableShape there = shape(kPlain + "}");
  const TableShape wanted = there;
  there.policy = "{}";
  there.recovery = DesiredRecovery{true, 35};
  there.warm = {20'000, 5'000};
  CHECK(changes_from(there, wanted).empty());
  TableShape told = wanted;
  told.warm = {12'000, 4'000};
  told.recovery = DesiredRecovery{true, {}};
  CHECK(changes_from(there, told).empty());
  told.warm = {30'000, 4'000};
  told.recovery = DesiredRecovery{true, 7};
  told.policy = R"({"a":1})";
  CHECK(changes_from(there, told) ==
        "WarmThroughput: 20000/5000 -> 30000/4000\n"
        "ResourcePolicy: it differs\n"
        "recovery: 35 days -> 7 days\n");
  TableState state;
  state.shape = wanted;
  state.knows_tags = false;
  state.knows_ttl = false;
  told = wanted;
  told.tags = {{"a", "b"}};
  told.ttl_attribute = "t";
  CHECK(changes_of(told, state).empty());
}

TEST_CASE("table shape: contributor insights of a table and of its indexes", "[server]") {
  DesiredTable table;
  table.create_body = kPlain + "}";
  table.insights = {{"", true, ""}, {"by-day", true, "THROTTLED_KEYS"}, {"by-mail", false, ""}};
  const auto wanted = shape_of(table);
  REQUIRE(wanted);
  TableShape there = shape(kPlain + "}");
  CHECK(changes_from(there, *wanted).empty());  // the endpoint does not know them
  CHECK(changes_from(*wanted, there).empty());  // the file does not say
  there.insights = {{"", {}}, {"by-day", {}}, {"by-mail", {true, "THROTTLED_KEYS"}}};
  CHECK(changes_from(there, *wanted) ==
        "insights: off -> on\n"
        "insights: by-day off -> on (THROTTLED_KEYS)\n"
        "insights: by-mail on -> off\n");
  // A mode that is not said is no difference, nor is that of what is off.
  there.insights = {{"", {true, "THROTTLED_KEYS"}},
                    {"by-day", {true, "ACCESSED_AND_THROTTLED_KEYS"}},
                    {"by-mail", {false, "THROTTLED_KEYS"}}};
  CHECK(changes_from(there, *wanted) ==
        "insights: by-day ACCESSED_AND_THROTTLED_KEYS -> THROTTLED_KEYS\n");
  there.insights["by-day"].mode.clear();
  CHECK(changes_from(there, *wanted).empty());
}

TEST_CASE("table shape: the destination in Kinesis", "[server]") {
  DesiredTable table;
  table.create_body = kPlain + "}";
  table.kinesis = DesiredKinesis{"arn:one", "MICROSECOND"};
  const auto wanted = shape_of(table);
  REQUIRE(wanted);
  CHECK(questions_for(*wanted).kinesis);
  TableShape there = shape(kPlain + "}");
  CHECK(changes_from(there, *wanted).empty());  // the endpoint does not know them
  CHECK(changes_from(*wanted, there).empty());  // the file does not say
  there.kinesis = DesiredKinesis{};
  CHECK(changes_from(there, *wanted) == "kinesis: off -> arn:one MICROSECOND\n");
  there.kinesis = DesiredKinesis{"arn:one", "MILLISECOND"};
  CHECK(changes_from(there, *wanted) == "kinesis: arn:one -> arn:one MICROSECOND\n");
  CHECK(changes_from(*wanted, there) == "kinesis: arn:one MICROSECOND -> arn:one\n");
  there.kinesis->precision.clear();  // not said
  CHECK(changes_from(*wanted, there).empty());
}

TEST_CASE("table shape: what a format cannot say stays", "[server]") {
  DesiredTable table;
  table.create_body = kPlain + "}";
  table.unsaid = {.time_to_live = true,
                  .tags = true,
                  .stream = true,
                  .table_class = true,
                  .protection = true,
                  .encryption = true};
  const auto wanted = shape_of(table);
  REQUIRE(wanted);
  TableState state;
  state.shape =
      shape(kPlain + R"(,"TableClass":"STANDARD_INFREQUENT_ACCESS","Tags":[{"Key":"a","Value":)"
                     R"("b"}],"DeletionProtectionEnabled":true,"SSESpecification":)"
                     R"({"Enabled":true},"StreamSpecification":{"StreamEnabled":true,)"
                     R"("StreamViewType":"NEW_IMAGE"}})");
  state.shape.ttl_attribute = "expires";
  state.shape.policy = R"({"a":1})";
  state.shape.recovery = DesiredRecovery{true, {}};
  state.shape.insights = {{"", {true, ""}}};
  state.shape.kinesis = DesiredKinesis{"arn:one", ""};
  CHECK(changes_of(*wanted, state).empty());
  CHECK(update_steps(*wanted, state).empty());
  CHECK(changes_of(shape(kPlain + "}"), state).size() == 6);
  // Nor is it a difference between two sides.
  TableSide file{.is_file = true};
  file.tables["T"].shape = *wanted;
  TableSide endpoint;
  endpoint.tables["T"] = state;
  endpoint.tables["T"].shape.policy.clear();
  CHECK(differences_of(file, endpoint).front().is_same());
  CHECK(differences_of(endpoint, file).front().is_same());
}

TEST_CASE("table shape: only what a file speaks of is asked", "[server]") {
  TableShape wanted = shape(kPlain + "}");
  StateQuestions questions = questions_for(wanted);
  CHECK_FALSE(questions.recovery);
  CHECK_FALSE(questions.policy);
  CHECK_FALSE(questions.kinesis);
  CHECK_FALSE(questions.all_insights);
  CHECK(questions.insights.empty());
  wanted.recovery = DesiredRecovery{};
  wanted.insights = {{"", {}}, {"by-day", {true, ""}}};
  questions = questions_for(wanted);
  CHECK(questions.recovery);
  CHECK(questions.insights == std::set<std::string>{"", "by-day"});
}

TEST_CASE("table shape: hostile bodies", "[server]") {
  CHECK(read_shape("[]").error() == "it is no JSON object");
  CHECK(read_shape("{").error() == "it is no JSON object");
  CHECK(read_shape("{}").error() == "it has no TableName");
  // Wrong types are for the endpoint to refuse.
  const TableShape odd =
      shape(R"({"TableName":"T","KeySchema":"pk","AttributeDefinitions":[1,"x",{}],"Tags":{},)"
            R"("StreamSpecification":[],"GlobalSecondaryIndexes":[[],{"Projection":7}],)"
            R"("ProvisionedThroughput":"5"})");
  CHECK(odd.keys.empty());
  CHECK(odd.global_indexes.size() == 1);
}

TEST_CASE("table shape: canonical JSON", "[server]") {
  CHECK(canonical_json(R"( {"b": [1, {"d":null,"c":true}], "a":"x"} )") ==
        R"({"a":"x","b":[1,{"c":true,"d":null}]})");
  CHECK(canonical_json("no JSON") == "no JSON");
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  CHECK(canonical_json(deep) == deep);
}

}  // namespace stator::templates

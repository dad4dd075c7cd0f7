// Which requests a rule fits: a table of rules and requests.
#include "server/faults/matching.h"

#include <atomic>
#include <string>

#include <catch2/catch.hpp>

#include "protocol/number/number.h"
#include "server/http/http_request.h"
#include "tests/unit/server/faults/read_rule_from.h"

namespace stator {
namespace {

using faults::RequestFacts;

std::string ordered(std::string_view text) {
  Number number;
  REQUIRE(parse_number(text, NumberRules::Current, number) == NumberError::None);
  char bytes[Number::kOrderedBytesMax];
  return {bytes, encode_number(number, bytes)};
}

TEST_CASE("fault rules: operations fit by name, glob and group", "[server]") {
  struct Row {
    const char* operation;  // of the rule
    const char* asked;
    Access access;
    bool fits;
  };
  for (const Row& row : {
           Row{"'PutItem'", "PutItem", Access::Write, true},
           Row{"'PutItem'", "GetItem", Access::Read, false},
           Row{"'*Item'", "BatchWriteItem", Access::Write, true},
           Row{"['PutItem','reads']", "Scan", Access::Read, true},
           Row{"'reads'", "ExecuteStatement", Access::Read, true},
           Row{"'reads'", "ExecuteStatement", Access::Write, false},
           Row{"'writes'", "ExecuteStatement", Access::Write, true},
           Row{"'writes'", "CreateTable", Access::Write, false},
           Row{"'control'", "CreateTable", Access::Write, true},
           Row{"'control'", "PutItem", Access::Write, false},
           Row{"'batches'", "BatchExecuteStatement", Access::Write, true},
           Row{"'transactions'", "ExecuteTransaction", Access::Write, true},
           Row{"'streams'", "GetRecords", Access::Read, true},
           Row{"'reads'", "GetRecords", Access::Read, false},
       }) {
    CAPTURE(row.operation, row.asked);
    const auto rule = test::rule_from("{'match':{'operation':" + std::string(row.operation) +
                                      "},'effect':{'drop':'before'}}");
    REQUIRE(rule.effect.name() == "drop before");
    RequestFacts facts;
    facts.operation = row.asked;
    facts.access = row.access;
    CHECK(fits(rule, facts) == row.fits);
  }
}

TEST_CASE("fault rules: table, index and key fit together", "[server]") {
  const std::string seven = ordered("7");
  const Member members[] = {
      {"n", Value::number(seven)}, {"pk", Value::string("user#1")}, {"raw", Value::binary("abc")}};
  RequestFacts facts;
  facts.operation = "BatchWriteItem";
  facts.access = Access::Write;
  facts.region = "us-east-1";
  facts.access_key = "test-7";
  facts.resources = {{.table = "arn:aws:dynamodb:us-east-1:000000000000:table/orders"},
                     {.table = "songs", .index = "by_band"},
                     {.table = "songs", .key = members}};
  struct Row {
    const char* match;
    bool fits;
  };
  for (const Row& row : {
           Row{"{}", true},
           Row{"{'table':'orders'}", true},
           Row{"{'table':'order'}", false},
           Row{"{'table':'or*'}", true},
           Row{"{'table':'orders','index':'by_*'}", false},
           Row{"{'table':'songs','index':'by_*'}", true},
           Row{"{'table':'songs','index':''}", true},
           Row{"{'index':'other'}", false},
           Row{"{'key':{'pk':'user#*'}}", true},
           Row{"{'table':'orders','key':{'pk':'user#*'}}", false},
           Row{"{'key':{'pk':'user#*','sk':'*'}}", false},
           Row{"{'key':{'n':7}}", true},
           Row{"{'key':{'n':7.0}}", true},
           Row{"{'key':{'n':8}}", false},
           Row{"{'key':{'n':'7'}}", false},
           Row{"{'key':{'n':{'from':6,'to':7}}}", true},
           Row{"{'key':{'n':{'from':7.5}}}", false},
           Row{"{'key':{'raw':'YW'}}", true},
           Row{"{'key':{'raw':'YX'}}", false},
           Row{"{'region':'us-*'}", true},
           Row{"{'region':'eu-*'}", false},
           Row{"{'access_key':'test-?'}", true},
           Row{"{'access_key':'other'}", false},
       }) {
    CAPTURE(row.match);
    const auto rule =
        test::read_rule_from("{'match':" + std::string(row.match) + ",'effect':{'drop':'before'}}");
    REQUIRE(rule);
    CHECK(fits(*rule, facts) == row.fits);
  }
}

bool fits_key(const char* key, const RequestFacts& facts) {
  return fits(
      test::rule_from("{'match':{'key':" + std::string(key) + "},'effect':{'drop':'before'}}"),
      facts);
}

TEST_CASE("fault rules: a Query names a key by its conditions with =", "[server]") {
  using Operator = expr::KeyCondition::Operator;
  const expr::KeyCondition conditions[] = {{"pk", Operator::Equal, Value::string("user#1"), {}},
                                           {"sk", Operator::BeginsWith, Value::string("2027"), {}}};
  RequestFacts facts;
  facts.operation = "Query";
  facts.resources = {{.table = "t", .key_source = KeySource::KeyConditions}};
  facts.resources.front().key_conditions = conditions;
  CHECK(fits_key("{'pk':'user#*'}", facts));
  CHECK_FALSE(fits_key("{'pk':'order#*'}", facts));
  CHECK_FALSE(fits_key("{'pk':'user#*','sk':'2027*'}", facts));
  CHECK_FALSE(fits_key("{'other':'*'}", facts));
}

TEST_CASE("fault rules: a statement names keys by = and IN in WHERE", "[server]") {
  using Kind = expr::Operand::Kind;
  expr::PathElement pk{.text = "pk", .name = "pk"};
  expr::PathElement n{.text = "n", .name = "n"};
  const auto constant = [](const char* text) {
    return expr::Operand{.kind = Kind::Constant, .value = Value::string(text)};
  };
  expr::Operand in[] = {{.path = expr::Path(&pk, 1)}, constant("a"), constant("user#2")};
  expr::Operand equal[] = {constant("x"), {.path = expr::Path(&n, 1)}};
  expr::Condition first{.kind = expr::Condition::Kind::In, .operands = in};
  expr::Condition second{.kind = expr::Condition::Kind::Compare, .operands = equal};
  expr::Condition* children[] = {&first, &second};
  const expr::Condition both{.kind = expr::Condition::Kind::And, .children = children};
  RequestFacts facts;
  facts.operation = "ExecuteStatement";
  facts.resources = {{.table = "t", .key_source = KeySource::Where, .condition = &both}};
  CHECK(fits_key("{'pk':'user#*'}", facts));
  CHECK(fits_key("{'pk':'a','n':'x'}", facts));
  CHECK_FALSE(fits_key("{'pk':'b'}", facts));
  second.comparator = expr::Comparator::Less;
  CHECK_FALSE(fits_key("{'n':'x'}", facts));
  const expr::Condition either{.kind = expr::Condition::Kind::Or, .children = children};
  facts.resources.front().condition = &either;
  CHECK_FALSE(fits_key("{'pk':'a'}", facts));
}

TEST_CASE("fault rules: a star fits keys of every type", "[server]") {
  const std::string seven = ordered("7");
  const Member members[] = {{"n", Value::number(seven)}, {"raw", Value::binary("abc")}};
  RequestFacts facts;
  facts.operation = "GetItem";
  facts.resources = {{.table = "t", .key = members}};
  CHECK(fits_key("{'n':'*','raw':'*'}", facts));
}

TEST_CASE("fault rules: pages are of reads, tokens of transactions that have one", "[server]") {
  RequestFacts facts;
  facts.operation = "ExecuteStatement";
  const auto page = test::rule_from("{'effect':{'page':{'items':1}}}");
  facts.access = Access::Read;
  CHECK(fits(page, facts));
  facts.access = Access::Write;
  CHECK_FALSE(fits(page, facts));
  const auto token = test::rule_from("{'effect':{'token':'running'}}");
  facts.operation = "TransactWriteItems";
  CHECK_FALSE(fits(token, facts));
  facts.has_token = true;
  CHECK(fits(token, facts));
}

TEST_CASE("fault rules: reads fit by their consistency, stale ones if it is eventual", "[server]") {
  const auto consistent = test::rule_from("{'match':{'consistent':true},'effect':{'delay':'1s'}}");
  const auto eventual = test::rule_from("{'match':{'consistent':false},'effect':{'delay':'1s'}}");
  const auto stale = test::rule_from("{'effect':{'stale':'1s'}}");
  RequestFacts facts;
  facts.operation = "GetItem";
  CHECK_FALSE(fits(consistent, facts));
  CHECK_FALSE(fits(eventual, facts));
  CHECK_FALSE(fits(stale, facts));
  facts.is_consistent = true;
  CHECK(fits(consistent, facts));
  CHECK_FALSE(fits(eventual, facts));
  CHECK_FALSE(fits(stale, facts));
  facts.is_consistent = false;
  CHECK_FALSE(fits(consistent, facts));
  CHECK(fits(eventual, facts));
  CHECK(fits(stale, facts));
  facts.operation = "TransactGetItems";
  CHECK_FALSE(fits(stale, facts));
}

TEST_CASE("fault rules: headers fit by name in any case and by glob", "[server]") {
  const std::atomic<bool> keeps{true};
  HttpRequestParser parser(false, &keeps);
  parser.feed(
      "POST / HTTP/1.1\r\nHost: h\r\nUser-Agent: aws-cli/2\r\nX-Test: 7\r\nx-test: 8\r\n\r\n");
  RequestFacts facts;
  facts.operation = "GetItem";
  struct Row {
    const char* match;
    bool fits;
  };
  for (const Row& row : {
           Row{"{'user_agent':'aws-cli/*'}", true},
           Row{"{'user_agent':'boto*'}", false},
           Row{"{'header':{'x-test':'7'}}", true},
           Row{"{'header':{'X-TEST':'8'}}", true},
           Row{"{'header':{'x-test':'9'}}", false},
           Row{"{'header':{'x-tes':'*'}}", false},
           Row{"{'header':{'x-test':'*','host':'other'}}", false},
       }) {
    CAPTURE(row.match);
    const auto rule =
        test::read_rule_from("{'match':" + std::string(row.match) + ",'effect':{'drop':'before'}}");
    REQUIRE(rule);
    facts.head = &parser.request();
    CHECK(fits(*rule, facts) == row.fits);
    facts.head = nullptr;
    CHECK_FALSE(fits(*rule, facts));
  }
}

TEST_CASE("fault rules: an error fits no operation that cannot answer it", "[server]") {
  const auto rule = test::rule_from("{'effect':{'error':'ConditionalCheckFailedException'}}");
  RequestFacts facts;
  facts.operation = "Scan";
  CHECK_FALSE(fits(rule, facts));
  facts.operation = "PutItem";
  CHECK(fits(rule, facts));
}

TEST_CASE("fault rules: the attempt is in the SDK's header", "[server]") {
  CHECK(faults::attempt_in("attempt=2; max=3") == 2);
  CHECK(faults::attempt_in("ttl=1; attempt=11") == 11);
  CHECK(faults::attempt_in("") == std::nullopt);
  CHECK(faults::attempt_in("attempt=x") == std::nullopt);
}

}  // namespace
}  // namespace stator

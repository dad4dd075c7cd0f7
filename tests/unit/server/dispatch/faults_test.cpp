// Requests that fail on demand, as the dispatcher answers them.
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "server/explain/requests/recent_requests.h"
#include "tests/unit/server/faults/read_rule_from.h"
#include "tests/unit/server/harness/server_under_test.h"

namespace stator {
namespace {

struct FaultyServer {
  // Single quotes in `rule` stand for double ones.
  explicit FaultyServer(const std::string& rule) {
    if (!rule.empty()) {
      auto read = test::read_rule_from(rule);
      REQUIRE(read);
      REQUIRE(rules.add({*read}, Timestamp{0}));
    }
    ask("CreateTable", R"({"TableName":"tab","BillingMode":"PAY_PER_REQUEST","KeySchema":)"
                       R"([{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":)"
                       R"([{"AttributeName":"pk","AttributeType":"S"}]})");
  }

  std::string ask(const std::string& operation, const std::string& body,
                  const std::string& header = {}) {
    return server.answer(
        "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Type: application/x-amz-json-1.0\r\n"
        "X-Amz-Target: DynamoDB_20120810." +
        operation +
        "\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
        "Credential=key/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, "
        "Signature=00\r\n" +
        header + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  std::string put(const std::string& header = {}) {
    return ask("PutItem", R"({"TableName":"tab","Item":{"pk":{"S":"a"}}})", header);
  }
  bool is_stored() {
    return ask("GetItem", R"({"TableName":"tab","Key":{"pk":{"S":"a"}}})").find("\"Item\"") !=
           std::string::npos;
  }

  faults::FaultRules rules{7, [](const std::string&) {}};
  RecentRequests recent{10};
  test::ServerUnderTest server{{}, OperationTable(all_families()), &recent, &rules};
};

// Status and body.
std::string brief(const std::string& reply) {
  return reply.empty() ? "" : reply.substr(9, 4) + reply.substr(reply.find("\r\n\r\n") + 4);
}

constexpr const char* kThrottled =
    "400 {\"__type\":\"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException\","
    "\"message\":\"The level of configured provisioned throughput for the table was exceeded. "
    "Consider increasing your provisioning level with the UpdateTable API.\","
    "\"ThrottlingReasons\":[{\"reason\":\"TableWriteProvisionedThroughputExceeded\","
    "\"resource\":\"arn:aws:dynamodb:us-east-1:000000000000:table/tab\"}]}";

TEST_CASE("faults: the second put is throttled as the service throttles", "[server]") {
  FaultyServer faulty(
      "{'name':'r','match':{'operation':'PutItem'},'when':{'nth':2},"
      "'effect':{'error':'ProvisionedThroughputExceededException'}}");
  CHECK(brief(faulty.put()) == "200 {}");
  const std::string second = faulty.put();
  CHECK(brief(second) == kThrottled);
  CHECK_THAT(second, Catch::Contains("\r\nx-stator-fault: rule=r; n=2\r\n"));
  CHECK(brief(faulty.put()) == "200 {}");
  const auto firings = faulty.rules.find("r")->firings();
  REQUIRE(firings.size() == 1);
  CHECK(firings.front().request_id.size() == 52);
  const auto kept = faulty.recent.find(firings.front().request_id);
  REQUIRE(kept != nullptr);
  CHECK(kept->text(RecentRequest::Part::Fault) == "r");
  CHECK_FALSE(kept->fault.is_committed);
}

TEST_CASE("faults: an error has the status and message of its rule", "[server]") {
  FaultyServer faulty(
      "{'match':{'operation':'PutItem'},'hidden':true,'effect':{'error':"
      "{'type':'InternalServerError','message':'Oh','status':503}}}");
  const std::string reply = faulty.put();
  CHECK(brief(reply) ==
        "503 {\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","
        "\"message\":\"Oh\"}");
  CHECK_THAT(reply, !Catch::Contains("x-stator-fault"));
  CHECK_FALSE(faulty.is_stored());
}

TEST_CASE("faults: an error after the commit leaves the item", "[server]") {
  FaultyServer faulty(
      "{'match':{'operation':'writes'},'effect':{'error':"
      "{'type':'InternalServerError','after':true}}}");
  CHECK_THAT(brief(faulty.put()), Catch::StartsWith("500 "));
  CHECK(faulty.is_stored());
}

TEST_CASE("faults: a drop before leaves nothing, a delay everything", "[server]") {
  FaultyServer dropped("{'match':{'operation':'PutItem'},'effect':{'drop':'before'}}");
  CHECK(dropped.put().empty());
  CHECK_FALSE(dropped.is_stored());
  FaultyServer late("{'match':{'operation':'PutItem'},'effect':{'delay':'1h'}}");
  CHECK(brief(late.put()) == "200 {}");
  CHECK(late.server.first_step() == Dispatcher::Step::Faulted);
  CHECK(late.is_stored());
}

std::string put_of(const char* pk) {
  return R"({"TableName":"tab","Item":{"pk":{"S":")" + std::string(pk) + "\"}}}";
}

// No item passes the filter.
constexpr const char* kScanForNone =
    R"x({"TableName":"tab","FilterExpression":"attribute_exists(v)"})x";

TEST_CASE("faults: a page ends early, and the next one begins after it", "[server]") {
  FaultyServer faulty("{'effect':{'page':{'items':1}}}");
  for (const char* const pk : {"a", "b", "c"}) faulty.ask("PutItem", put_of(pk));
  CHECK_THAT(brief(faulty.ask("Scan", R"({"TableName":"tab"})")),
             Catch::Contains(R"("Count":1,"ScannedCount":1,"LastEvaluatedKey":)"));
  CHECK_THAT(brief(faulty.ask("Query", R"({"TableName":"tab","KeyConditionExpression":"pk = :p",)"
                                       R"("ExpressionAttributeValues":{":p":{"S":"a"}}})")),
             Catch::Contains(R"("Count":1,"ScannedCount":1})"));
  CHECK_THAT(brief(faulty.ask("Scan", kScanForNone)), Catch::Contains(R"("ScannedCount":3})"));
}

TEST_CASE("faults: a page without items need not be the last one", "[server]") {
  FaultyServer faulty("{'effect':{'page':{'items':0}}}");
  for (const char* const pk : {"a", "b"}) faulty.ask("PutItem", put_of(pk));
  CHECK_THAT(brief(faulty.ask("Scan", kScanForNone)),
             Catch::Contains(R"("Count":0,"ScannedCount":1,"LastEvaluatedKey":)"));
  CHECK_THAT(brief(faulty.ask("ExecuteStatement", R"({"Statement":"SELECT * FROM tab"})")),
             Catch::Contains("\"NextToken\":"));
  CHECK_THAT(
      brief(faulty.ask("ExecuteStatement",
                       R"({"Statement":"SELECT * FROM tab WHERE pk IN ['a', 'b'] AND v = 1"})")),
      Catch::Contains(R"({"Items":[],"NextToken":)"));
}

constexpr const char* kCounted =
    R"({"ClientRequestToken":"t","TransactItems":[{"Update":{"TableName":"tab","Key":{"pk":)"
    R"({"S":"a"}},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"1"}}}}]})";

TEST_CASE("faults: a forgotten token runs a transaction again", "[server]") {
  FaultyServer faulty("{'when':{'nth':3},'effect':{'token':'forgotten'}}");
  const auto counted = [&] {
    faulty.ask("TransactWriteItems", kCounted);
    return brief(faulty.ask("GetItem", R"({"TableName":"tab","Key":{"pk":{"S":"a"}}})"));
  };
  CHECK_THAT(counted(), Catch::Contains(R"({"N":"1"})"));
  CHECK_THAT(counted(), Catch::Contains(R"({"N":"1"})"));
  CHECK_THAT(counted(), Catch::Contains(R"({"N":"2"})"));
  CHECK_THAT(counted(), Catch::Contains(R"({"N":"2"})"));
}

TEST_CASE("faults: tokens get the errors of the service", "[server]") {
  FaultyServer running("{'effect':{'token':'running'}}");
  CHECK_THAT(brief(running.ask("TransactWriteItems", kCounted)),
             Catch::Contains("TransactionInProgressException"));
  FaultyServer other("{'effect':{'token':'mismatch'}}");
  CHECK_THAT(brief(other.ask("TransactWriteItems", kCounted)),
             Catch::Contains("IdempotentParameterMismatchException"));
  CHECK_FALSE(other.is_stored());
}

TEST_CASE("faults: a rule for the arrival asks nothing of the request", "[server]") {
  FaultyServer faulty(
      "{'name':'r','stage':'arrival','match':{'operation':'PutItem'},"
      "'effect':{'error':'InternalServerError'}}");
  CHECK_THAT(brief(faulty.ask("PutItem", R"({"TableName":7})")), Catch::StartsWith("500 "));
  CHECK_THAT(brief(faulty.put()), Catch::StartsWith("500 "));
  CHECK_FALSE(faulty.is_stored());
  CHECK(faulty.rules.find("r")->fired() == 2);
  FaultyServer dropped(
      "{'stage':'arrival','match':{'operation':'PutItem'},'effect':{'drop':'before'}}");
  CHECK(dropped.put().empty());
  CHECK_FALSE(dropped.is_stored());
}

TEST_CASE("faults: a header can name a preset", "[server]") {
  FaultyServer faulty("");
  CHECK_THAT(faulty.put("x-stator-fault: preset throttled\r\n"), Catch::Contains(kThrottled + 4));
  CHECK_THAT(brief(faulty.put("x-stator-fault: preset throtled\r\n")),
             Catch::Contains("no such preset: 'throtled'"));
  CHECK_FALSE(faulty.is_stored());
}

std::string three_puts() {
  std::string puts;
  for (const char* const pk : {"a", "b", "c"})
    puts += std::string(puts.empty() ? "" : ",") + R"({"PutRequest":{"Item":{"pk":{"S":")" + pk +
            "\"}}}}";
  return R"({"RequestItems":{"tab":[)" + puts + "]}}";
}

TEST_CASE("faults: parts of a batch come back in order, the others are done", "[server]") {
  FaultyServer faulty("{'when':{'times':1},'effect':{'unprocessed':[0,2]}}");
  CHECK(brief(faulty.ask("BatchWriteItem", three_puts())) ==
        R"(200 {"UnprocessedItems":{"tab":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},)"
        R"({"PutRequest":{"Item":{"pk":{"S":"c"}}}}]}})");
  CHECK_FALSE(faulty.is_stored());
  CHECK(brief(faulty.ask("BatchWriteItem", three_puts())) == R"(200 {"UnprocessedItems":{}})");
  CHECK(faulty.is_stored());
}

TEST_CASE("faults: a batch of which nothing is done fails", "[server]") {
  FaultyServer faulty("{'effect':{'unprocessed':{'fraction':1}}}");
  CHECK(brief(faulty.ask("BatchWriteItem", three_puts())) == kThrottled);
  CHECK_FALSE(faulty.is_stored());
}

std::string three_inserts() {
  std::string statements;
  for (const char* const pk : {"a", "b", "c"})
    statements += std::string(statements.empty() ? "" : ",") +
                  R"({"Statement":"INSERT INTO tab VALUE {'pk':')" + pk + "'}\"}";
  return R"({"Statements":[)" + statements + "]}";
}

TEST_CASE("faults: statements of a batch fail alone", "[server]") {
  FaultyServer faulty("{'effect':{'unprocessed':[0,2],'type':'ThrottlingError'}}");
  const std::string reply = brief(faulty.ask("BatchExecuteStatement", three_inserts()));
  CHECK_THAT(reply, Catch::StartsWith(R"(200 {"Responses":[{"Error":{"Code":"ThrottlingError",)"));
  CHECK_THAT(reply, Catch::Contains(R"("TableName":"tab"},{"TableName":"tab"},{"Error":)"));
  CHECK_FALSE(faulty.is_stored());
  FaultyServer all("{'effect':{'unprocessed':{'fraction':1}}}");
  const std::string throttled = brief(all.ask("BatchExecuteStatement", three_inserts()));
  CHECK_THAT(throttled, Catch::StartsWith("200 "));
  CHECK_THAT(throttled, Catch::Contains(R"("Code":"ProvisionedThroughputExceeded")"));
  CHECK_THAT(throttled, !Catch::Contains(R"({"TableName":"tab"},)"));
  CHECK_FALSE(all.is_stored());
}

TEST_CASE("faults: a statement that is rejected has its place", "[server]") {
  FaultyServer faulty("{'effect':{'unprocessed':[1]}}");
  const std::string reply = brief(faulty.ask(
      "BatchExecuteStatement",
      R"({"Statements":[{"Statement":"nonsense"},{"Statement":"INSERT INTO tab VALUE {'pk':'a'}"}]})"));
  CHECK_THAT(reply, Catch::Contains(R"("Code":"ValidationError")"));
  CHECK_THAT(reply, Catch::Contains(R"("Code":"ProvisionedThroughputExceeded")"));
  CHECK_FALSE(faulty.is_stored());
}

TEST_CASE("faults: what a proxy answers has nothing of the service", "[server]") {
  FaultyServer faulty(
      "{'match':{'operation':'PutItem'},'when':{'times':1},'hidden':true,'effect':{'http':"
      "{'status':503,'body':'<p>busy','headers':{'Via':'1.1 proxy'}}}}");
  const std::string reply = faulty.put();
  CHECK(reply ==
        "HTTP/1.1 503 Service Unavailable\r\nVia: 1.1 proxy\r\nContent-Length: 7\r\n\r\n<p>busy");
  CHECK_FALSE(faulty.is_stored());
  CHECK(brief(faulty.put()) == "200 {}");
}

TEST_CASE("faults: keys of a lookup come back", "[server]") {
  FaultyServer faulty(
      "{'match':{'operation':'BatchGetItem','key':{'pk':'b*'}},"
      "'effect':{'unprocessed':'matching'}}");
  faulty.put();
  const std::string keys = R"({"RequestItems":{"tab":{"Keys":[{"pk":{"S":"b1"}},{"pk":{"S":"a"}}],)"
                           R"("ConsistentRead":true}}})";
  CHECK(brief(faulty.ask("BatchGetItem", keys)) ==
        R"(200 {"Responses":{"tab":[{"pk":{"S":"a"}}]},"UnprocessedKeys":{"tab":)"
        R"({"Keys":[{"pk":{"S":"b1"}}],"ConsistentRead":true}}})");
}

TEST_CASE("faults: a cancelled transaction lists its reasons and enters nothing", "[server]") {
  FaultyServer faulty(
      "{'effect':{'cancel':{'1':'TransactionConflict','2':'ConditionalCheckFailed'}}}");
  const auto action = [](const std::string& pk) {
    return R"({"Put":{"TableName":"tab","Item":{"pk":{"S":")" + pk + "\"}}}}";
  };
  const std::string reply =
      faulty.ask("TransactWriteItems", R"({"TransactItems":[)" + action("a") + "," + action("b") +
                                           "," + action("c") + "]}");
  CHECK(brief(reply) ==
        "400 {\"__type\":\"com.amazonaws.dynamodb.v20120810#TransactionCanceledException\","
        "\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"TransactionConflict\","
        "\"Message\":\"Transaction is ongoing for the item\"},{\"Code\":\"ConditionalCheckFailed\","
        "\"Message\":\"The conditional request failed\"}],\"Message\":\"Transaction cancelled, "
        "please refer cancellation reasons for specific reasons [None, TransactionConflict, "
        "ConditionalCheckFailed]\"}");
  CHECK_FALSE(faulty.is_stored());
}

TEST_CASE("faults: a corrupted answer is wrong in one way", "[server]") {
  struct Row {
    const char* how;
    const char* reply;     // status and body
    const char* contains;  // in the header
  };
  // 2745614147 is the sum of {}.
  for (const Row& row :
       {Row{"crc", "200 {}", "x-amz-crc32: 2745614148\r\n"},
        Row{"byte", "200 {|", "x-amz-crc32: 2745614147\r\n"},
        Row{"cut", "200 {", "Content-Length: 2\r\n"}, Row{"empty", "200 ", "Content-Length: 0\r\n"},
        Row{"json", "200 {", "Content-Length: 1\r\n"}}) {
    CAPTURE(row.how);
    FaultyServer faulty("{'match':{'operation':'PutItem'},'effect':{'corrupt':'" +
                        std::string(row.how) + "'}}");
    const std::string reply = faulty.put();
    CHECK(brief(reply) == row.reply);
    CHECK_THAT(reply, Catch::Contains(row.contains));
    CHECK(faulty.is_stored());
  }
}

TEST_CASE("faults: a header makes one request fail", "[server]") {
  FaultyServer faulty("");
  CHECK_THAT(brief(faulty.put("x-stator-fault: {\"error\":\"ThrottlingException\"}\r\n")),
             Catch::Contains("ThrottlingException"));
  CHECK_FALSE(faulty.is_stored());
  CHECK_THAT(brief(faulty.put("x-stator-fault: nonsense\r\n")),
             Catch::Contains("x-stator-fault: the header is not a JSON object"));
  CHECK_THAT(brief(faulty.put("x-stator-fault: {\"stale\":\"1s\"}\r\n")),
             Catch::Contains("stale needs a rule"));
  CHECK_THAT(brief(faulty.put("x-stator-fault: {\"page\":{}}\r\n")),
             Catch::Contains("page needs items"));
  CHECK_THAT(brief(faulty.put("x-stator-fault: {\"cancel\":{\"0\":\"TransactionConflict\"}}\r\n")),
             Catch::Contains("no such error for this operation"));
  CHECK_FALSE(faulty.is_stored());
  CHECK(brief(faulty.put()) == "200 {}");
  CHECK(faulty.rules.all().empty());
}

TEST_CASE("faults: a request that the service refuses is refused as ever", "[server]") {
  FaultyServer faulty("{'match':{'operation':'PutItem'},'effect':{'error':'InternalServerError'}}");
  CHECK_THAT(brief(faulty.ask("PutItem", R"({"TableName":"tab","Item":5})")),
             Catch::Contains("SerializationException"));
  CHECK(faulty.rules.all().front()->matched() == 0);
}

}  // namespace
}  // namespace stator

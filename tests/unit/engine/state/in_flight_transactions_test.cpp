// Transactions in flight (engine/state/in_flight_transactions.h): what they hold, what goes on, how
// they end.
#include <chrono>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/engine/harness/engine_driver.h"

namespace stator::test {
namespace {

using namespace std::chrono_literals;

Settings with_time() {
  Settings settings;
  settings.transaction_time = 5s;
  return settings;
}

std::string key(const std::string& name) { return R"({"pk":{"S":")" + name + R"("}})"; }
std::string put(const std::string& name) {
  return R"({"Put":{"TableName":"Things","Item":)" + key(name) + "}}";
}
std::string get(const std::string& name) {
  return R"({"Get":{"TableName":"Things","Key":)" + key(name) + "}}";
}
std::string check(const std::string& name, const std::string& condition) {
  return R"({"ConditionCheck":{"TableName":"Things","Key":)" + key(name) +
         R"(,"ConditionExpression":")" + condition + R"("}})";
}
std::string transaction(const std::string& actions) {
  return R"({"TransactItems":[)" + actions + "]}";
}

// A table, and on it a transaction that puts `a` and looks at `b`.
struct InFlight {
  InFlight() {
    REQUIRE(driver
                .call("CreateTable", R"({"TableName":"Things","BillingMode":"PAY_PER_REQUEST",
              "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
              "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})")
                .ok);
    driver.maintain();
    flight = driver.begin("TransactWriteItems",
                          transaction(put("a") + "," + check("b", "attribute_not_exists(pk)")));
    REQUIRE_FALSE(flight->is_answered());
  }
  ~InFlight() { driver.engine().abort_in_flight(); }

  void land() {
    driver.clock().advance(5s);
    driver.maintain();
  }
  Answer write(const std::string& operation, const std::string& members) {
    return driver.call(operation, R"({"TableName":"Things",)" + members + "}");
  }
  std::string item(const std::string& name) {
    return write("GetItem", R"("ConsistentRead":true,"Key":)" + key(name)).json;
  }

  EngineDriver driver{with_time()};
  std::unique_ptr<EngineDriver::Begun> flight;
};

const std::string kConflict =
    R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException",)"
    R"("message":"Transaction is ongoing for the item"})";

std::string cancelled(const std::string& codes, const std::string& reasons) {
  return R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
         R"("CancellationReasons":[)" +
         reasons +
         R"(],"Message":"Transaction cancelled, please refer cancellation reasons for specific )"
         "reasons [" +
         codes + R"(]"})";
}
const std::string kConflictReason =
    R"({"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"})";

TEST_CASE("a transaction in flight holds its items against single writes") {
  InFlight test;
  for (const std::string name : {"a", "b"}) {
    CHECK(test.write("PutItem", R"("Item":)" + key(name)).json == kConflict);
    CHECK(test.write("DeleteItem", R"("Key":)" + key(name)).json == kConflict);
    CHECK(test.write("UpdateItem", R"("Key":)" + key(name)).json == kConflict);
    // The conflict is found before the condition is looked at.
    CHECK(test.write("PutItem",
                     R"x("ConditionExpression":"attribute_exists(pk)","Item":)x" + key(name))
              .json == kConflict);
  }
  CHECK(test.write("PutItem", R"("Item":)" + key("c")).ok);
  CHECK(test.item("a") == "{}");
}

TEST_CASE("entries of a batch on items in flight are not processed") {
  InFlight test;
  const auto entry = [](const std::string& name) {
    return R"({"PutRequest":{"Item":)" + key(name) + "}}";
  };
  const std::string erase = R"({"DeleteRequest":{"Key":)" + key("b") + "}}";
  const Answer answer = test.driver.call(
      "BatchWriteItem", R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{"Things":[)" +
                            entry("a") + "," + entry("c") + "," + erase + "]}}");
  CHECK(answer.json ==
        R"({"UnprocessedItems":{"Things":[)" + entry("a") + "," + erase +
            R"(]},"ConsumedCapacity":[{"TableName":"Things","CapacityUnits":1.0}]})");
  CHECK(test.item("c") == R"({"Item":)" + key("c") + "}");
  CHECK(test.item("a") == "{}");
}

TEST_CASE("other transactions are cancelled by what is in flight, and only there") {
  InFlight test;
  const auto write = [&](const std::string& actions) {
    return test.driver.call("TransactWriteItems", transaction(actions)).json;
  };
  CHECK(write(put("c") + "," + put("a")) ==
        cancelled("None, TransactionConflict", R"({"Code":"None"},)" + kConflictReason));
  // Conditions are not looked at.
  CHECK(write(check("c", "attribute_exists(pk)") + "," + put("b")) ==
        cancelled("None, TransactionConflict", R"({"Code":"None"},)" + kConflictReason));
  CHECK(test.driver.call("TransactGetItems", transaction(get("b") + "," + get("c"))).json ==
        cancelled("TransactionConflict, None", kConflictReason + R"(,{"Code":"None"})"));
  CHECK(test.driver.call("TransactGetItems", transaction(get("c"))).ok);
  const auto second = test.driver.begin("TransactWriteItems", transaction(put("d")));
  CHECK_FALSE(second->is_answered());
  test.land();
  CHECK(second->is_answered());
  CHECK(second->answer().json == "{}");
}

TEST_CASE("reads go on beside a transaction in flight") {
  InFlight test;
  CHECK(test.item("a") == "{}");
  CHECK(
      test.driver.call("BatchGetItem", R"({"RequestItems":{"Things":{"Keys":[)" + key("a") + "]}}}")
          .ok);
  CHECK(test.driver.call("Scan", R"({"TableName":"Things"})").ok);
}

TEST_CASE("a flight lands when its time has come, and not before") {
  InFlight test;
  const MaintenanceState waiting = test.driver.maintain();
  CHECK_FALSE(waiting.is_due);
  REQUIRE(waiting.next_due);
  CHECK(*waiting.next_due == test.driver.clock().now().plus(5s));
  test.driver.clock().advance(4999ms);
  test.driver.maintain();
  CHECK_FALSE(test.flight->is_answered());
  CHECK(test.item("a") == "{}");
  test.driver.clock().advance(1ms);
  CHECK_FALSE(test.driver.maintain().next_due);
  REQUIRE(test.flight->is_answered());
  CHECK(test.flight->answer().json == "{}");
  CHECK(test.item("a") == R"({"Item":)" + key("a") + "}");
  // Nothing is held any more.
  CHECK(test.write("PutItem", R"("Item":)" + key("a")).ok);
  CHECK(test.driver.call("TransactGetItems", transaction(get("a"))).ok);
}

TEST_CASE("who gave up waiting has a transaction that lands all the same") {
  InFlight test;
  struct Gone final : StopCondition {
    bool should_stop() noexcept override { return true; }
  } gone;
  test.driver.stop_condition = &gone;
  const auto refused = test.driver.begin("TransactWriteItems", transaction(put("x")));
  CHECK(refused->is_answered());  // it had not begun
  test.driver.stop_condition = nullptr;
  test.land();
  CHECK(test.flight->answer().ok);
}

TEST_CASE("a transaction that is cancelled holds nothing") {
  InFlight test;
  const Answer refused = test.driver.call(
      "TransactWriteItems", transaction(put("c") + "," + check("d", "attribute_exists(pk)")));
  CHECK_FALSE(refused.ok);
  CHECK(test.write("PutItem", R"("Item":)" + key("c")).ok);
  CHECK(test.write("PutItem", R"("Item":)" + key("d")).ok);
}

TEST_CASE("what a flight decided is decided once more when it lands") {
  InFlight test;
  REQUIRE(test.driver.call("DeleteTable", R"({"TableName":"Things"})").ok);
  test.land();
  REQUIRE(test.flight->is_answered());
  CHECK(test.flight->answer().json ==
        R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",)"
        R"("message":"Requested resource not found"})");
}

TEST_CASE("a token is taken while its first request is in flight") {
  InFlight test;
  const auto tokened = [](const std::string& actions) {
    return R"({"ClientRequestToken":"t","TransactItems":[)" + actions + "]}";
  };
  const auto first = test.driver.begin("TransactWriteItems", tokened(put("c")));
  REQUIRE_FALSE(first->is_answered());
  CHECK(test.driver.call("TransactWriteItems", tokened(put("c"))).json ==
        R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException",)"
        R"("Message":"Transaction from previous request is still in progress"})");
  CHECK(test.driver.call("TransactWriteItems", tokened(put("d")))
            .json.find("IdempotentParameterMismatchException") != std::string::npos);
  test.land();
  CHECK(first->answer().json == "{}");
  CHECK(test.write("DeleteItem", R"("Key":)" + key("c")).ok);
  CHECK(test.driver.call("TransactWriteItems", tokened(put("c"))).json == "{}");
  CHECK(test.item("c") == "{}");
}

std::string statement(const std::string& text) { return R"({"Statement":")" + text + R"("})"; }
const std::string kSelectA = statement("SELECT * FROM Things WHERE pk = 'a'");
const std::string kSelectC = statement("SELECT * FROM Things WHERE pk = 'c'");
const std::string kInsertA = statement("INSERT INTO Things VALUE {'pk': 'a'}");
const std::string kInsertC = statement("INSERT INTO Things VALUE {'pk': 'c'}");
std::string statements(const std::string& members, const std::string& token = "") {
  const std::string once = token.empty() ? "" : R"("ClientRequestToken":")" + token + R"(",)";
  return "{" + once + R"("TransactStatements":[)" + members + "]}";
}

TEST_CASE("statements meet a transaction in flight as the operations do") {
  InFlight test;
  const auto run = [&](const std::string& text) {
    return test.driver.call("ExecuteStatement", statement(text)).json;
  };
  CHECK(run("INSERT INTO Things VALUE {'pk': 'a'}") == kConflict);
  for (const std::string name : {"'a'", "'b'"}) {
    CHECK(run("UPDATE Things SET n = 1 WHERE pk = " + name) == kConflict);
    CHECK(run("DELETE FROM Things WHERE pk = " + name + " AND n = 1") == kConflict);
  }
  CHECK(run("SELECT * FROM Things WHERE pk = 'a'") == R"({"Items":[]})");
  CHECK(run("INSERT INTO Things VALUE {'pk': 'd'}") == R"({"Items":[]})");

  const auto batch = [&](const std::string& members) {
    return test.driver.call("BatchExecuteStatement", R"({"Statements":[)" + members + "]}").json;
  };
  CHECK(batch(kInsertA + "," + kInsertC) ==
        R"({"Responses":[{"Error":{"Code":"TransactionConflict",)"
        R"("Message":"Transaction is ongoing for the item"},"TableName":"Things"},)"
        R"({"TableName":"Things"}]})");
  CHECK(batch(kSelectA) == R"({"Responses":[{"TableName":"Things"}]})");

  const auto transact = [&](const std::string& members) {
    return test.driver.call("ExecuteTransaction", statements(members)).json;
  };
  const std::string conflict_first =
      cancelled("TransactionConflict, None", kConflictReason + R"(,{"Code":"None"})");
  CHECK(transact(kSelectA + "," + kSelectC) == conflict_first);
  // Whatever else is against it: there is an item c.
  CHECK(transact(kInsertA + "," + kInsertC) == conflict_first);
  CHECK(transact(kSelectC) == R"({"Responses":[{"Item":{"pk":{"S":"c"}}}]})");
}

TEST_CASE("a transaction of statements flies as well, and its token with it") {
  InFlight test;
  const auto first = test.driver.begin("ExecuteTransaction", statements(kInsertC, "t"));
  REQUIRE_FALSE(first->is_answered());
  CHECK(test.write("PutItem", R"("Item":)" + key("c")).json == kConflict);
  CHECK(test.driver.call("TransactGetItems", transaction(get("c"))).json ==
        cancelled("TransactionConflict", kConflictReason));
  CHECK(test.driver.call("ExecuteTransaction", statements(kInsertC, "t")).json ==
        R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException",)"
        R"("Message":"Transaction from previous request is still in progress"})");
  CHECK(test.driver.call("ExecuteTransaction", statements(kInsertA, "t"))
            .json.find("IdempotentParameterMismatchException") != std::string::npos);
  // The same token is another one for TransactWriteItems.
  const auto other = test.driver.begin(
      "TransactWriteItems", R"({"ClientRequestToken":"t","TransactItems":[)" + put("d") + "]}");
  CHECK_FALSE(other->is_answered());
  test.land();
  REQUIRE((first->is_answered() && other->is_answered()));
  CHECK(first->answer().json == R"({"Responses":[]})");
  CHECK(other->answer().json == "{}");
  // Done once: there is an item c by now.
  CHECK(test.driver.call("ExecuteTransaction", statements(kInsertC, "t")).json ==
        R"({"Responses":[]})");
  CHECK(test.driver.call("ExecuteTransaction", statements(kInsertC)).json ==
        cancelled("DuplicateItem",
                  R"({"Code":"DuplicateItem","Message":"Duplicate primary key exists in table"})"));
}

TEST_CASE("flights end with the process, and none begins any more") {
  InFlight test;
  test.driver.engine().abort_in_flight();
  REQUIRE(test.flight->is_answered());
  CHECK(test.flight->answer().json.find("InternalServerError") != std::string::npos);
  CHECK(test.item("a") == "{}");
  CHECK(test.write("PutItem", R"("Item":)" + key("a")).ok);
  const Answer refused = test.driver.call("TransactWriteItems", transaction(put("b")));
  CHECK(refused.json.find("InternalServerError") != std::string::npos);
  CHECK(test.item("b") == "{}");
}

}  // namespace
}  // namespace stator::test

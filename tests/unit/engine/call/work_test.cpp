// Calls whose client does not wait: they end early, and nothing of them is stored.
#include "engine/call/work.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/engine/harness/engine_driver.h"

using namespace stator;

namespace {

// Leaves at the question after so many.
class Leaving final : public StopCondition {
 public:
  explicit Leaving(int questions) : left_(questions) {}
  bool should_stop() noexcept override {
    ++asked;
    return left_-- <= 0;
  }
  int asked = 0;

 private:
  int left_;
};

constexpr const char* kFailure =
    R"({"__type":"com.amazon.coral.service#InternalFailure","message":""})";

struct Pile : test::EngineDriver {
  Pile() {
    call("CreateTable", R"({"TableName":"pile","BillingMode":"PAY_PER_REQUEST",)"
                        R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
                        R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  }
  test::Answer put(const std::string& pk, std::size_t size) {
    return call("PutItem", R"({"TableName":"pile","Item":{"pk":{"S":")" + pk + R"("},"a":{"S":")" +
                               std::string(size, 'x') + R"("}}})");
  }
  std::string count() { return call("Scan", R"({"TableName":"pile"})").member("Count"); }
};

}  // namespace

TEST_CASE("work: steps are counted and the stop condition is asked now and then", "[work]") {
  Leaving stop_condition(2);
  Work work;
  work.begin(&stop_condition);
  CHECK(work.go_on(Work::kStepsBetweenQuestions - 1));
  CHECK(stop_condition.asked == 0);
  CHECK(work.go_on(1));
  CHECK(work.go_on(Work::kStepsBetweenQuestions));
  CHECK(stop_condition.asked == 2);
  CHECK(work.go_on(1));
  const auto stopped = work.go_on(Work::kStepsBetweenQuestions);
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().render() == kFailure);
  CHECK(work.steps() == 3 * Work::kStepsBetweenQuestions + 1);
  work.begin(nullptr);
  CHECK(work.steps() == 0);
  CHECK(work.go_on(100 * Work::kStepsBetweenQuestions));
}

TEST_CASE("work: a page ends when nobody waits for it", "[work]") {
  Pile pile;
  for (int i = 0; i < 8; ++i) REQUIRE(pile.put("k" + std::to_string(i), 100'000).ok);
  CHECK(pile.count() == "8");
  Leaving stop_condition(2);
  pile.stop_condition = &stop_condition;
  const test::Answer answer = pile.call("Scan", R"({"TableName":"pile"})");
  CHECK_FALSE(answer.ok);
  CHECK(answer.json == kFailure);
  CHECK(stop_condition.asked == 3);
}

TEST_CASE("work: a write that nobody waits for stores nothing", "[work]") {
  Pile pile;
  Leaving stop_condition(0);
  pile.stop_condition = &stop_condition;
  const test::Answer answer = pile.put("a", 10);
  CHECK_FALSE(answer.ok);
  CHECK(answer.json == kFailure);
  std::string batch = R"({"RequestItems":{"pile":[)";
  for (int i = 0; i < 8; ++i) {
    batch += std::string(i == 0 ? "" : ",") + R"({"PutRequest":{"Item":{"pk":{"S":")" +
             std::to_string(i) + R"("},"a":{"S":")" + std::string(50'000, 'x') + R"("}}}})";
  }
  batch += "]}}";
  Leaving half_way(2);  // once before it begins, then in the midst of it
  pile.stop_condition = &half_way;
  CHECK(pile.call("BatchWriteItem", batch).json == kFailure);
  CHECK(half_way.asked == 3);
  pile.stop_condition = nullptr;
  CHECK(pile.count() == "0");
  CHECK(pile.warnings.empty());
  REQUIRE(pile.call("BatchWriteItem", batch).ok);
  CHECK(pile.count() == "8");
}

TEST_CASE("work: a write that turns out to be long waits for a leader who has time", "[work]") {
  Pile pile;
  std::string checks;
  for (int i = 0; i < 9; ++i) {
    const std::string pk = "k" + std::to_string(i);
    REQUIRE(pile.put(pk, 380'000).ok);
    checks += std::string(i == 0 ? "" : ",") +
              R"({"Update":{"TableName":"pile","Key":{"pk":{"S":")" + pk +
              R"("}},"UpdateExpression":"ADD n :1",)" +
              R"x("ConditionExpression":"a <> :x AND attribute_not_exists(n)",)x" +
              R"("ExpressionAttributeValues":{":1":{"N":"1"},":x":{"S":"x"}}}})";
  }
  using Left = Engine::LeadOutcome;
  Engine& queue = pile.engine();
  pile.leads = false;
  const auto before = pile.begin("PutItem", R"({"TableName":"pile","Item":{"pk":{"S":"before"}}})");
  const auto long_one = pile.begin("TransactWriteItems", R"({"TransactItems":[)" + checks + "]}");
  const auto behind = pile.begin("PutItem", R"({"TableName":"pile","Item":{"pk":{"S":"behind"}}})");
  CHECK(queue.lead_short_jobs() == Left::Long);
  CHECK(before->is_answered());
  CHECK(behind->is_answered());
  REQUIRE_FALSE(long_one->is_answered());
  CHECK(pile.call("GetItem", R"({"TableName":"pile","Key":{"pk":{"S":"k0"}},)"
                             R"("ProjectionExpression":"n"})")
            .json == R"({"Item":{}})");
  CHECK(queue.lead_short_jobs() == Left::Long);
  CHECK_FALSE(queue.lead());
  REQUIRE(long_one->is_answered());
  CHECK(long_one->answer().ok);
  CHECK(pile.call("GetItem", R"({"TableName":"pile","Key":{"pk":{"S":"k8"}},)"
                             R"("ProjectionExpression":"n"})")
            .json == R"({"Item":{"n":{"N":"1"}}})");
  // Refused, it was looked at to the end all the same.
  const auto again = pile.begin("TransactWriteItems", R"({"TransactItems":[)" + checks + "]}");
  CHECK(queue.lead_short_jobs() == Left::Long);
  CHECK_FALSE(queue.lead());
  CHECK(again->answer().json.find("[ConditionalCheckFailed, ConditionalCheckFailed") !=
        std::string::npos);
  CHECK(queue.lead_short_jobs() == Left::Nothing);
}

// No expression could be like that: for QueryFilter and ScanFilter the service names no limit.
TEST_CASE("work: a filter without a limit of its own is walked in shorter pages", "[engine]") {
  Pile pile;
  for (int i = 0; i < 100; ++i) REQUIRE(pile.put("k" + std::to_string(i), 1).ok);
  const std::size_t conditions = GENERATE(std::size_t{300}, std::size_t{30'000});
  std::string filter;
  for (std::size_t i = 0; i < conditions; ++i) {
    filter += (i == 0 ? "" : ",");
    filter += "\"x" + std::to_string(i) + R"(":{"ComparisonOperator":"NULL"})";
  }
  std::string start;
  int pages = 0;
  int found = 0;
  do {
    const auto page = pile.call("Scan", R"({"TableName":"pile","Select":"COUNT","ScanFilter":{)" +
                                            filter + "}" + start + "}");
    REQUIRE(page.ok);
    CHECK(page.member("Count") == page.member("ScannedCount"));
    found += std::stoi(page.member("Count"));
    start = page.member("LastEvaluatedKey");
    if (!start.empty()) start = R"(,"ExclusiveStartKey":)" + start;
    ++pages;
  } while (!start.empty() && pages < 100);
  CHECK(found == 100);
  CHECK((pages > 1) == (conditions > 300));
  CHECK(pages < 10);  // each is worth its while
}

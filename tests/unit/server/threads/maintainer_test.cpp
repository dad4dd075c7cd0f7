// The maintainer's thread waits by the engine's clock.
#include "server/threads/maintainer.h"

#include <chrono>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/unit/engine/harness/engine_driver.h"

using namespace stator;
using namespace stator::test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kTable =
    R"({"TableName":"Things","BillingMode":"PAY_PER_REQUEST",)"
    R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
    R"({"AttributeName":"g","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
    R"("GlobalSecondaryIndexes":[{"IndexName":"by_g","KeySchema":[)"
    R"({"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]})";

bool index_gets(EngineDriver& engine, std::string_view count) {
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < deadline) {
    const Answer answer = engine.call("Scan", R"({"TableName":"Things","IndexName":"by_g"})");
    if (answer.member("Count") == count) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

TEST_CASE("maintainer: moving the clock wakes it for what became due", "[server]") {
  Settings settings;
  settings.gsi_delay = 24h;
  EngineDriver engine(settings);
  const Maintainer maintainer(engine.engine());
  REQUIRE(engine.call("CreateTable", std::string(kTable)).ok);
  for (int day = 1; day <= 3; ++day) {
    const std::string number = std::to_string(day);
    REQUIRE(engine
                .call("PutItem", R"({"TableName":"Things","Item":{"g":{"S":"x"},"pk":{"S":")" +
                                     number + R"("}}})")
                .ok);
    engine.clock().advance(24h);
    CHECK(index_gets(engine, number));
  }
}

TEST_CASE("maintainer: does nothing while it pauses, and all that was left then", "[server]") {
  Settings settings;
  settings.gsi_delay = 24h;
  EngineDriver engine(settings);
  Maintainer maintainer(engine.engine());
  REQUIRE(engine.call("CreateTable", std::string(kTable)).ok);
  {
    const Maintainer::Pause pause(maintainer);
    const Maintainer::Pause another(maintainer);
    REQUIRE(
        engine.call("PutItem", R"({"TableName":"Things","Item":{"g":{"S":"x"},"pk":{"S":"1"}}})")
            .ok);
    engine.clock().advance(24h);
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    CHECK(engine.call("Scan", R"({"TableName":"Things","IndexName":"by_g"})").member("Count") ==
          "0");
  }
  CHECK(index_gets(engine, "1"));
}

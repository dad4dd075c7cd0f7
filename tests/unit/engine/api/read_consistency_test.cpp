// What a read sees belongs together: tables and their records, however commits and maintenance fall
// in between.
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/indexes/index_life.h"

using namespace stator;
using namespace stator::test;

namespace {

constexpr int kItems = 20;
const std::string kAllOfThem = std::to_string(kItems);

// Stands still, and does something else first when it is asked for the time: a read asks between
// taking the tables and taking the snapshot.
class InterruptingClock final : public Clock {
 public:
  Timestamp now() const override { return Timestamp{1'790'000'000'000'000}; }
  std::chrono::microseconds steady() const override {
    if (const auto interrupt = std::exchange(interrupt_, nullptr)) interrupt();
    return std::chrono::microseconds(0);
  }
  std::optional<std::chrono::microseconds> real_wait(Timestamp /*due*/) const override {
    return std::nullopt;
  }
  void interrupt_next(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }

 private:
  mutable std::function<void()> interrupt_;
};

void load(EngineHarness& engine, const std::string& table) {
  std::string puts;
  for (int i = 0; i < kItems; ++i) {
    puts += puts.empty() ? "" : ",";
    puts += R"({"PutRequest":{"Item":{"pk":{"S":")" + std::to_string(i) + R"("},"g":{"S":"x"}}}})";
  }
  engine.call("BatchWriteItem", R"({"RequestItems":{")" + table + R"(":[)" + puts + "]}}");
}

}  // namespace

TEST_CASE("reads: a table deleted and swept at the wrong moment is missing, not empty",
          "[engine]") {
  const bool lags = GENERATE(false, true);
  InterruptingClock clock;
  Settings settings;
  if (lags) settings.eventual_read_lag = std::chrono::seconds(1);
  EngineHarness engine(settings, clock);
  engine.call("CreateTable", hash_table("Things"));
  load(engine, "Things");
  const std::string scan = named("Things", lags ? "" : R"(,"ConsistentRead":true)");
  // A lagging read may find them missing: it sees what was before.
  if (!lags) REQUIRE(engine.call("Scan", scan).member("Count") == kAllOfThem);
  clock.interrupt_next([&] {
    engine.call("DeleteTable", named("Things"));
    maintain_all(engine);
  });
  const Answer answer = engine.call("Scan", scan);
  CHECK(answer.member("message") == R"("Requested resource not found")");
}

TEST_CASE("reads: an index deleted and swept at the wrong moment is missing, not empty",
          "[engine]") {
  InterruptingClock clock;
  EngineHarness engine({}, clock);
  engine.call("CreateTable", hash_table("Things"));
  load(engine, "Things");
  REQUIRE(engine.call("UpdateTable", create_index("by_g")).ok);
  const std::string scan = named("Things", R"(,"IndexName":"by_g")");
  REQUIRE(engine.call("Scan", scan).member("Count") == kAllOfThem);
  clock.interrupt_next([&] {
    engine.call("UpdateTable", delete_index("by_g"));
    maintain_all(engine);
  });
  CHECK(engine.call("Scan", scan).member("message") ==
        R"("The table does not have the specified index: by_g")");
}

namespace {

// Scans of a table that another thread creates, loads, announces, deletes and sweeps, over and over
// under new names, each not before it was read a few times. Returns how many of the
// answers were neither complete nor an error.
int wrong_answers(int reads) {
  constexpr int kReaders = 3;
  constexpr int kAnswersOfEachTable = 50;
  const OperationTable operations = all_operations();
  const Operation* const scan = operations.find("DynamoDB_20120810.Scan");
  EngineHarness engine;
  std::atomic<int> loaded{-1};
  std::atomic<int> reads_left{reads};
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  std::atomic<int> complete{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      Engine::Reader reader(engine.engine());
      Call call;
      for (; !is_over; --reads_left) {
        std::string body =
            named("Things" + std::to_string(loaded.load()), R"xx(,"ConsistentRead":true)xx");
        call.reset();
        call.operation = scan;
        call.caller = {"us-east-1", "key", "localhost:8000"};
        const auto root = read_json(body, call.arena);
        if (!root || !engine.engine().parse(*root, call)) {
          ++wrong;
        } else if (engine.engine().read(call, reader)) {
          const bool is_whole = Answer{true, call.reply, 0}.member("Count") == kAllOfThem;
          ++(is_whole ? complete : wrong);
        }
      }
    });
  }
  for (int number = 0; reads_left > 0 && wrong == 0; ++number) {
    const std::string name = "Things" + std::to_string(number);
    REQUIRE(engine.call("CreateTable", hash_table(name)).ok);
    load(engine, name);
    const int enough = complete + kAnswersOfEachTable;
    loaded = number;
    while (complete < enough && wrong == 0) std::this_thread::yield();
    engine.call("DeleteTable", named(name));
    maintain_all(engine);
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  return wrong;
}

}  // namespace

TEST_CASE("reads: beside tables that come and go, whole or refused", "[engine]") {
  CHECK(wrong_answers(60'000) == 0);
}

// ./unit_engine "[.long]"
TEST_CASE("reads: beside tables that come and go, five million times", "[.long]") {
  CHECK(wrong_answers(5'000'000) == 0);
}

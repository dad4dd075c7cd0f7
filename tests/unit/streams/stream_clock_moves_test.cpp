// Time that is moved far with streams beside it: their shards end up as if it had passed step by
// step, and it does not take as long.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "engine/state/stream_life.h"
#include "tests/unit/streams/stream_harness.h"

namespace stator::test {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kStart{1'790'000'000'000'000};
constexpr std::chrono::hours kCentury{24 * 36'525};

struct Patient final : StopCondition {
  bool should_stop() noexcept override { return !(++questions < questions_max); }
  int questions = 0;
  int questions_max = 1'000'000'000;
};

struct MoveOutcome {
  explicit MoveOutcome(const Settings& settings = {}) : driver(settings, clock) {}

  AdvanceOutcome advance(std::chrono::microseconds by) {
    return steer(driver.engine(), clock, now().plus(by), stop_condition);
  }
  Timestamp now() { return driver.engine().clock().now(); }

  ManualClock below{kStart};
  MovableClock clock{below};
  Patient stop_condition;
  StreamHarness driver;
};

// When each shard was opened, in milliseconds before `now`, the oldest first.
std::vector<std::int64_t> ages_ms(MoveOutcome& engine, const std::string& arn) {
  std::vector<std::int64_t> ages;
  for (const auto& shard : engine.driver.shards(arn)) {
    const std::size_t begin = std::string("shardId-").size();
    const std::string opened_ms = shard.id.substr(begin, shard.id.find('-', begin) - begin);
    ages.push_back(engine.now().unix_ms() - std::stoll(opened_ms));
  }
  return ages;
}

// Each shard follows the one before; the first one's parent is forgotten, and only the last is
// open.
void check_lineage(MoveOutcome& engine, const std::string& arn) {
  const auto shards = engine.driver.shards(arn);
  REQUIRE_FALSE(shards.empty());
  CHECK_FALSE(shards.front().parent.empty());
  for (std::size_t i = 1; i < shards.size(); ++i) CHECK(shards[i].parent == shards[i - 1].id);
  for (std::size_t i = 0; i < shards.size(); ++i)
    CHECK(shards[i].end.empty() == (i + 1 == shards.size()));
}

TEST_CASE("stream steering: a century with 20 streams is some pieces of work", "[streams]") {
  MoveOutcome engine;
  std::vector<std::string> arns;
  for (int i = 0; i < 20; ++i) {
    const std::string name = i == 0 ? "Things" : "Table" + std::to_string(i);
    arns.push_back(engine.driver.make_table(name));
  }
  engine.driver.put("a", "1");
  CHECK(engine.advance(kCentury) == AdvanceOutcome::Arrived);
  CHECK(engine.now() == kStart.plus(kCentury));
  CHECK(engine.stop_condition.questions < 5'000);  // each is behind a commit; one by one 4 million
  for (const std::string& arn : arns) {
    check_lineage(engine, arn);
    for (const auto& shard : engine.driver.shards(arn))
      CHECK(engine.driver.records(arn, shard.id).empty());
  }
  engine.driver.put("a", "2");
  CHECK(engine.driver.records(arns[0], engine.driver.shards(arns[0]).back().id).size() == 1);
}

TEST_CASE("stream steering: shards are as if time had passed step by step", "[streams]") {
  Settings settings;
  settings.streams.shards = 2;
  const auto length = GENERATE(as<std::chrono::minutes>{}, 27h, 28h, 29h, 100h + 17min, 24h * 30);
  INFO(length.count());
  MoveOutcome at_once(settings);
  MoveOutcome by_steps(settings);
  const std::string arn = at_once.driver.make_table();
  REQUIRE(by_steps.driver.make_table() == arn);
  REQUIRE(at_once.advance(length) == AdvanceOutcome::Arrived);
  for (std::chrono::minutes left = length; left > 0min;) {
    const auto step = std::min<std::chrono::minutes>(left, 1h);
    REQUIRE(by_steps.advance(step) == AdvanceOutcome::Arrived);
    left -= step;
  }
  CHECK(ages_ms(at_once, arn) == ages_ms(by_steps, arn));
}

TEST_CASE("stream steering: a move that is given up leaves no shard behind its time", "[streams]") {
  MoveOutcome engine;
  const std::string arn = engine.driver.make_table();
  engine.driver.put("a", "1");
  engine.stop_condition.questions_max = 20;
  REQUIRE(engine.advance(kCentury) == AdvanceOutcome::Cancelled);
  engine.driver.maintain_all();
  CHECK(ages_ms(engine, arn).back() < std::chrono::milliseconds(4h).count());
  engine.stop_condition.questions_max = 1'000'000;
  REQUIRE(engine.advance(
              kStart.plus(kCentury).unix_us > engine.now().unix_us
                  ? std::chrono::microseconds(kStart.plus(kCentury).unix_us - engine.now().unix_us)
                  : 0us) == AdvanceOutcome::Arrived);
  check_lineage(engine, arn);
}

std::size_t count_streams(StreamHarness& engine, std::string& first_arn) {
  std::size_t count = 0;
  std::string after;
  for (;;) {
    const Answer page{true, engine.ok("ListStreams", "{" + after + "}"), 0};
    const auto streams = elements_of(page.member("Streams"));
    if (count == 0 && !streams.empty())
      first_arn = unquoted(Answer{true, streams.front(), 0}.member("StreamArn"));
    count += streams.size();
    const std::string last = page.member("LastEvaluatedStreamArn");
    if (last.empty()) return count;
    after = R"("ExclusiveStartStreamArn":)" + last;
  }
}

TEST_CASE("streams: of closed ones the oldest go when there are too many", "[streams]") {
  StreamHarness engine;
  std::string first;
  for (std::size_t i = 0; i < kClosedStreamsMax + 10; ++i) {
    const std::string arn = engine.make_table();
    if (i == 0) first = arn;
    engine.ok("DeleteTable", named("Things"));
    engine.clock().advance(1ms);  // the label is a time
    engine.maintain_all();
  }
  const std::string open = engine.make_table("Open");
  std::string unused;
  const std::size_t left = count_streams(engine, unused);
  CHECK(left <= kClosedStreamsMax + 1);
  CHECK(left > kClosedStreamsMax - 100);
  const auto describe = [&](const std::string& arn) {
    return engine.call("DescribeStream", R"({"StreamArn":")" + arn + "\"}");
  };
  CHECK_FALSE(describe(first).ok);
  CHECK(describe(open).ok);
  CHECK(std::count(engine.warnings.begin(), engine.warnings.end(),
                   "there are more than 5000 closed streams: the oldest are removed early") == 1);
}

TEST_CASE("streams: a reset forgets closed ones when it is asked to", "[streams]") {
  StreamHarness engine;
  Patient stop_condition;
  const auto is_any = [](std::string_view) { return true; };
  engine.make_table();
  for (int i = 0; i < 50; ++i) engine.put("k" + std::to_string(i), "v");
  std::string arn;
  CHECK(reset_tables(engine.engine(), is_any, stop_condition).streams == 0);
  engine.maintain_all();
  REQUIRE(count_streams(engine, arn) == 1);
  CHECK(engine.records(arn, engine.shards(arn).front().id).size() == 50);

  const auto is_other = [](std::string_view scope) { return scope != "us-east-1"; };
  CHECK(reset_tables(engine.engine(), is_other, stop_condition, ClosedStreams::Go).streams == 0);
  CHECK(count_streams(engine, arn) == 1);
  engine.clock().advance(1ms);
  engine.make_table();
  const Reset reset = reset_tables(engine.engine(), is_any, stop_condition, ClosedStreams::Go);
  CHECK(reset.is_whole);
  CHECK(reset.tables == 1);
  CHECK(reset.streams == 2);
  CHECK(count_streams(engine, arn) == 0);
  engine.maintain_all();
  CHECK_FALSE(engine.call("DescribeStream", R"({"StreamArn":")" + arn + "\"}").ok);
  engine.clock().advance(1ms);
  engine.make_table();
  engine.put("a", "1");
  CHECK(count_streams(engine, arn) == 1);
}

}  // namespace
}  // namespace stator::test

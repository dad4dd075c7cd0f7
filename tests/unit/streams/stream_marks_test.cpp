// A stream goes back with the data: records and shards behind the mark are gone, and numbers of new
// ones are above theirs.
#include <string>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "tests/unit/streams/stream_harness.h"

namespace stator::test {
namespace {

std::string told(StreamHarness& engine, const std::string& arn) {
  std::string all = engine.ok("DescribeStream", R"({"StreamArn":")" + arn + "\"}");
  for (const auto& shard : engine.shards(arn)) {
    for (const std::string& record : engine.records(arn, shard.id)) all += "\n" + record;
  }
  return all;
}

TEST_CASE("streams: one goes back to a mark with its table", "[streams]") {
  StreamHarness engine;
  const std::string arn = engine.make_table();
  for (int i = 0; i < 5; ++i) engine.put("k" + std::to_string(i), "a");
  REQUIRE(engine.engine().set_mark("m") == MarkOutcome::Done);
  const std::string before = told(engine, arn);
  const std::string shard = engine.shards(arn).front().id;
  const std::string latest = engine.iterator(arn, shard, "LATEST");
  for (int i = 0; i < 5; ++i) engine.put("k" + std::to_string(i), "b");
  const std::string last =
      unquoted(Answer{true, engine.records(arn, shard).back(), 0}.member("SequenceNumber"));
  CHECK(told(engine, arn) != before);
  REQUIRE(engine.engine().roll_back("m") == MarkOutcome::Done);
  CHECK(told(engine, arn) == before);
  // Who followed it goes on with what comes now.
  CHECK(engine.page(latest).member("Records") == "[]");
  engine.put("new", "c");
  const Answer page = engine.page(latest);
  const auto records = elements_of(page.member("Records"));
  REQUIRE(records.size() == 1);
  CHECK(unquoted(Answer{true, records[0], 0}.member("SequenceNumber")) > last);
}

TEST_CASE("streams: one that was disabled, or whose table was deleted, is open again behind a mark",
          "[streams]") {
  StreamHarness engine;
  const std::string arn = engine.make_table();
  engine.put("k", "a");
  engine.clock().advance(std::chrono::hours(5));
  engine.maintain_all();
  CHECK(engine.shards(arn).size() == 2);
  REQUIRE(engine.engine().set_mark("m") == MarkOutcome::Done);
  const std::string before = told(engine, arn);
  engine.ok("DeleteTable", R"({"TableName":"Things"})");
  engine.clock().advance(std::chrono::hours(30));
  engine.maintain_all();
  CHECK_FALSE(engine.call("DescribeStream", R"({"StreamArn":")" + arn + "\"}").ok);
  REQUIRE(engine.engine().roll_back("m") == MarkOutcome::Done);
  CHECK(told(engine, arn) == before);
  engine.put("k", "b");
  CHECK(engine.records(arn, engine.shards(arn).back().id).size() == 1);
}

}  // namespace
}  // namespace stator::test

// What cases cannot say of streams: all shards together, restarts, what one store's tokens are in
// another.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/data_folder/data_check.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"
#include "tests/unit/streams/stream_harness.h"

namespace stator::test {
namespace {

using std::chrono::hours;

Settings with_shards(std::uint32_t shards) {
  Settings settings;
  settings.streams.shards = shards;
  return settings;
}

std::string number_of(const std::string& record) {
  return unquoted(Answer{true, record, 0}.member("SequenceNumber"));
}

bool is_less(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

TEST_CASE("streams: each partition is in one of several shards, and numbers rise", "[streams]") {
  StreamHarness engine(with_shards(4));
  const std::string arn = engine.make_table();
  for (int i = 0; i < 200; ++i) engine.put("k" + std::to_string(i % 50), std::to_string(i));
  const auto shards = engine.shards(arn);
  REQUIRE(shards.size() == 4);
  std::set<std::string> keys;
  std::set<std::string> events;
  std::size_t count = 0;
  for (const auto& shard : shards) {
    std::set<std::string> keys_here;
    std::string last = shard.start;
    for (const std::string& record : engine.records(arn, shard.id, 7)) {
      keys_here.insert(Answer{true, record, 0}.member("Keys"));
      events.insert(Answer{true, record, 0}.member("eventID"));
      CHECK(is_less(last, number_of(record)));
      last = number_of(record);
      ++count;
    }
    CHECK_FALSE(keys_here.empty());
    for (const std::string& key : keys_here) CHECK(keys.insert(key).second);
  }
  CHECK(count == 200);
  CHECK(events.size() == 200);
  CHECK(keys.size() == 50);
}

TEST_CASE("streams: shards that are closed share out their records, and children go on",
          "[streams]") {
  StreamHarness engine(with_shards(3));
  const std::string arn = engine.make_table();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 30; ++i) engine.put("k" + std::to_string(i), std::to_string(round));
    engine.clock().advance(hours(4));
    engine.maintain_all();
  }
  const auto shards = engine.shards(arn);
  REQUIRE(shards.size() == 12);
  std::size_t count = 0;
  for (const auto& shard : shards) {
    const auto records = engine.records(arn, shard.id);
    count += records.size();
    if (shard.end.empty()) {
      CHECK(records.empty());
      continue;
    }
    CHECK(shard.end == (records.empty() ? shard.start : number_of(records.back())));
    const auto child = std::find_if(shards.begin(), shards.end(), [&](const auto& candidate) {
      return candidate.parent == shard.id;
    });
    REQUIRE(child != shards.end());
    CHECK(is_less(shard.end, child->start));
  }
  CHECK(count == 90);
}

TEST_CASE("streams: more shards than before come by splitting", "[streams]") {
  const storage::TemporaryFolder folder;
  Settings settings = with_shards(1);
  settings.storage.folder = folder.path();
  std::string arn;
  ManualClock clock{Timestamp{1'790'000'000'000'000}};
  {
    StreamHarness engine(settings, clock);
    arn = engine.make_table();
    engine.put("a", "1");
  }
  settings.streams.shards = 4;
  StreamHarness engine(settings, clock);
  CHECK(engine.shards(arn).size() == 1);
  clock.advance(hours(4));
  engine.maintain_all();
  const auto shards = engine.shards(arn);
  REQUIRE(shards.size() == 5);
  for (std::size_t i = 1; i < shards.size(); ++i) CHECK(shards[i].parent == shards[0].id);
  // Asked for by their parent there are these four.
  const Answer children =
      engine.call("DescribeStream", R"({"StreamArn":")" + arn +
                                        R"(","ShardFilter":{"Type":"CHILD_SHARDS","ShardId":")" +
                                        shards[0].id + "\"}}");
  const auto elements = elements_of(children.member("Shards"));
  REQUIRE(elements.size() == 4);
  for (std::size_t i = 0; i < elements.size(); ++i)
    CHECK(unquoted(Answer{true, elements[i], 0}.member("ShardId")) == shards[i + 1].id);
}

TEST_CASE("streams: a restart keeps streams, records, numbers and tokens", "[streams]") {
  const storage::TemporaryFolder folder;
  Settings settings;
  settings.storage.folder = folder.path();
  StreamHarness engine(settings);
  const std::string arn = engine.make_table();
  const std::string shard = engine.shards(arn).front().id;
  engine.put("a", "1");
  const std::string token = engine.iterator(arn, shard);
  const std::string before = engine.page(token).member("Records");
  engine.reopen();
  CHECK(engine.page(token).member("Records") == before);
  engine.put("b", "1");
  const auto records = engine.records(arn, shard);
  REQUIRE(records.size() == 2);
  CHECK(is_less(number_of(records[0]), number_of(records[1])));
  engine.ok("DeleteTable", named("Things"));
  engine.reopen();
  CHECK(engine.page(token).member("NextShardIterator").empty());
  CHECK(engine.records(arn, shard) == records);
  engine.clock().advance(hours(24));
  engine.maintain_all();
  CHECK_FALSE(engine.call("DescribeStream", R"({"StreamArn":")" + arn + "\"}").ok);
  // Nothing is left of it.
  DataReport report;
  const auto environment = storage::Environment::open_to_read(folder.path());
  REQUIRE(environment);
  REQUIRE(check_data(**environment, {}, report));
  CHECK(report.findings.empty());
}

TEST_CASE("streams: a token tells its stream, and is short however long that is", "[streams]") {
  StreamHarness engine;
  const std::string arn = engine.make_table(std::string(255, 't'));
  const std::string token = engine.iterator(arn, engine.shards(arn).front().id);
  CHECK(token.starts_with(arn + "|1|AAAAAAAAAA"));
  CHECK(token.size() <= 2048);
  CHECK(engine.page(token).ok);
}

TEST_CASE("streams: a token that is changed or of another store is none", "[streams]") {
  StreamHarness engine;
  const std::string arn = engine.make_table();
  engine.put("a", "1");
  const std::string token = engine.iterator(arn, engine.shards(arn).front().id);
  REQUIRE(engine.page(token).ok);
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string forged = token;
    forged[i] = forged[i] == 'A' ? 'B' : 'A';
    const Answer answer = engine.page(forged);
    CAPTURE(i);
    CHECK(answer.json.find("Invalid ShardIterator") != std::string::npos);
  }
  for (std::size_t size = 0; size < token.size(); size += 9)
    CHECK_FALSE(engine.page(token.substr(0, size)).ok);
}

TEST_CASE("streams: a table of an earlier format gets its stream when it is opened", "[streams]") {
  const storage::TemporaryFolder folder;
  Settings settings;
  settings.storage.folder = folder.path();
  std::string arn;
  {
    StreamHarness engine(settings);
    arn = engine.make_table();
  }
  {
    // As version 3 left it.
    const auto environment = storage::open_or_throw(settings.storage);
    const auto transaction = storage::unwrap(storage::WriteTransaction::begin(*environment));
    const auto table = storage::unwrap(transaction->seek(storage::Database::Tables, {}));
    REQUIRE(table);
    std::string text(table->value);
    const std::string number = R"("stream_number":1,)";
    const std::size_t at = text.find(number);
    REQUIRE(at != std::string::npos);
    text.erase(at, number.size());
    storage::unwrap(transaction->put(storage::Database::Tables, std::string(table->key), text));
    storage::unwrap(transaction->drop(storage::Database::Consumers));
    storage::unwrap(transaction->drop(storage::Database::Journal));
    storage::unwrap(transaction->drop(storage::Database::Streams));
    storage::unwrap(transaction->drop(storage::Database::Expiries));
    storage::unwrap(transaction->drop(storage::Database::Tokens));
    storage::unwrap(transaction->drop(storage::Database::TokenTimes));
    storage::unwrap(transaction->drop(storage::Database::Throughput));
    storage::unwrap(
        transaction->put(storage::Database::Meta, "format", std::string("stator\0\0\0\x02", 10)));
    storage::unwrap(transaction->commit());
  }
  StreamHarness engine(settings);
  engine.put("a", "1");
  CHECK(engine.records(arn, engine.shards(arn).front().id).size() == 1);
}

}  // namespace
}  // namespace stator::test

// Shards that follow from splits of their table's partitions.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/reports/throughput_figures.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"
#include "engine/throughput/throughput_state.h"
#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::test {
namespace {

using namespace std::chrono_literals;
using Hashes = std::vector<std::uint32_t>;

Settings with(Throttling throttling, std::optional<std::filesystem::path> folder = {}) {
  Settings settings;
  settings.throttling = throttling;
  settings.capacity = std::make_shared<const capacity::CapacityParameters>();
  settings.storage.folder = std::move(folder);
  return settings;
}

const std::string kStream =
    R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"})";
const std::string kNoStream = R"("StreamSpecification":{"StreamEnabled":false})";

void create(EngineHarness& engine, const std::string& stream = kStream) {
  REQUIRE(engine
              .call("CreateTable",
                    R"({"TableName":"Things","KeySchema":[{"AttributeName":"pk",)"
                    R"("KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk",)"
                    R"("AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST",)" +
                        stream + "}")
              .ok);
}

void update(EngineHarness& engine, const std::string& stream) {
  REQUIRE(engine.call("UpdateTable", R"({"TableName":"Things",)" + stream + "}").ok);
  engine.clock().advance(10s);
}

template <class Look>
void look(EngineHarness& engine, const Look& look) {
  Engine::Reader reader(engine.engine());
  storage::unwrap(engine.engine().look(reader, look));
}

void split(EngineHarness& engine, const capacity::Position& boundary) {
  std::vector<ThroughputStats> all;
  look(engine, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(all, throughput_figures(snapshot, Settings().isolation));
    return {};
  });
  REQUIRE(all.size() == 1);
  REQUIRE(all.front().state->split_for_size(boundary, 0, engine.engine().clock().now()));
}

void maintain(EngineHarness& engine) {
  while (engine.engine().maintain().is_due) {
  }
}

// All shards of the table's streams by id, the open ones' ranges among them.
struct Shards {
  std::vector<Shard> all;
  Hashes begins;  // of the open ones, in the order of their ids
};

Shards shards(EngineHarness& engine) {
  Shards found;
  look(engine, [&](const Snapshot& snapshot) -> Result<void> {
    const storage::Transaction& transaction = snapshot.transaction();
    STATOR_TRY(const auto consumers, storage::all_consumers(transaction));
    for (const storage::Consumer& consumer : consumers) {
      const auto number = stream_of(consumer.name);
      if (!number) continue;
      std::string id;
      for (;;) {
        STATOR_TRY(const auto shard, storage::next_shard(transaction, *number, id));
        if (!shard) break;
        id = shard->id;
        if (!shard->closed) found.begins.push_back(shard->hash_begin);
        found.all.push_back(*shard);
      }
    }
    return {};
  });
  return found;
}

}  // namespace

TEST_CASE("stream splits: a split closes the shard around it and opens two", "[streams]") {
  EngineHarness engine(with(Throttling::Observe));
  create(engine);
  CHECK(shards(engine).begins == Hashes{0});
  engine.clock().advance(60s);
  split(engine, {5'000'000, {}});
  maintain(engine);
  Shards found = shards(engine);
  REQUIRE(found.all.size() == 3);
  CHECK(found.all[0].closed == found.all[1].opened);
  CHECK(found.all[0].end < found.all[1].start);
  CHECK(found.all[1].parent_id == found.all[0].id);
  CHECK(found.all[2].parent_id == found.all[0].id);
  CHECK(found.all[1].hash_end == 5'000'000);
  CHECK(found.all[2].hash_begin == 5'000'000);
  CHECK(found.all[2].hash_end == kPartitionHashes);

  engine.clock().advance(3h);
  split(engine, {9'000'000, {}});
  maintain(engine);
  found = shards(engine);
  CHECK(found.begins == Hashes{0, 5'000'000, 9'000'000});
  CHECK(found.all[3].parent_id == found.all[2].id);

  engine.clock().advance(1h);  // the first shard's children are four hours old, theirs are not
  maintain(engine);
  CHECK(shards(engine).all.size() == 6);
  engine.clock().advance(4h);
  maintain(engine);
  CHECK(shards(engine).begins == Hashes{0, 5'000'000, 9'000'000});
}

TEST_CASE("stream splits: none within a collection, nor without partitions", "[streams]") {
  EngineHarness engine(with(Throttling::Enforce));
  create(engine);
  split(engine, {5'000'000, "a"});
  maintain(engine);
  CHECK(shards(engine).all.size() == 1);
  EngineHarness off(with(Throttling::Off));
  create(off);
  maintain(off);
  CHECK(shards(off).all.size() == 1);
}

TEST_CASE("stream splits: a stream that is enabled later has them from the beginning",
          "[streams]") {
  EngineHarness engine(with(Throttling::Observe));
  create(engine, kNoStream);
  split(engine, {9'000'000, {}});
  split(engine, {5'000'000, {}});
  maintain(engine);
  update(engine, kStream);
  CHECK(shards(engine).begins == Hashes{0, 5'000'000, 9'000'000});
  update(engine, kNoStream);
  split(engine, {1'000'000, {}});
  maintain(engine);
  CHECK(shards(engine).begins.empty());
  CHECK(shards(engine).all.size() == 3);
}

TEST_CASE("stream splits: one that happens while the stream is being enabled counts", "[streams]") {
  Settings settings = with(Throttling::Observe);
  settings.control_plane_delay = 5s;
  EngineHarness engine(settings);
  create(engine, kNoStream);
  engine.clock().advance(10s);
  REQUIRE(engine.call("UpdateTable", R"({"TableName":"Things",)" + kStream + "}").ok);
  split(engine, {5'000'000, {}});
  maintain(engine);
  engine.clock().advance(10s);
  maintain(engine);
  CHECK(shards(engine).begins == Hashes{0, 5'000'000});
}

TEST_CASE("stream splits: a stream gets no more than a hundred open shards of them", "[streams]") {
  EngineHarness engine(with(Throttling::Observe));
  create(engine);
  for (std::uint32_t i = 1; i <= 120; ++i) {
    split(engine, {i * 100'000, {}});
    if (i % 7 == 0) maintain(engine);
  }
  maintain(engine);
  CHECK(shards(engine).begins.size() == kOpenShardsMax);
  update(engine, kNoStream);
  update(engine, kStream);
  CHECK(shards(engine).begins.size() == kOpenShardsMax);
}

TEST_CASE("stream splits: they go along with --stream-shards", "[streams]") {
  Settings settings = with(Throttling::Observe);
  settings.streams.shards = 2;
  EngineHarness engine(settings);
  create(engine);
  constexpr std::uint32_t kHalf = kPartitionHashes / 2;
  CHECK(shards(engine).begins == Hashes{0, kHalf});
  split(engine, {5'000'000, {}});
  maintain(engine);
  CHECK(shards(engine).begins == Hashes{kHalf, 0, 5'000'000});
}

TEST_CASE("stream splits: a process that ends in between leaves them to the next", "[streams]") {
  const storage::TemporaryFolder folder;
  EngineHarness engine(with(Throttling::Observe, folder.path()));
  create(engine);
  split(engine, {5'000'000, {}});
  REQUIRE(engine.engine().persist_throughput());  // and the stream's upkeep has not come
  CHECK(shards(engine).begins == Hashes{0});
  engine.reopen();
  maintain(engine);
  CHECK(shards(engine).begins == Hashes{0, 5'000'000});
  engine.reopen();
  maintain(engine);
  CHECK(shards(engine).all.size() == 3);
}

}  // namespace stator::test

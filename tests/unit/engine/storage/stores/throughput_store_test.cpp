#include "engine/storage/stores/throughput_store.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/bytes/bytes.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

using capacity::PersistedThroughput;
using capacity::Position;
using capacity::SplitCause;

constexpr Timestamp kAt{1'800'000'000'000'000};

StoredThroughput example() {
  StoredThroughput throughput;
  throughput.throttling = Throttling::Enforce;
  PersistedThroughput& persisted = throughput.state;
  persisted.mode = BillingMode::PayPerRequest;
  persisted.was_warmed = true;
  persisted.warm = {40'000, 9'000};
  persisted.peaks_milli = {1'200'000'000, 7};
  persisted.partitions = {{{0, ""}, 10}, {{77, ""}, 0}, {{77, std::string("s\0rt", 4)}, 1'000'000}};
  persisted.splits = {{kAt, {77, ""}, SplitCause::Throughput},
                      {kAt, {77, std::string("s\0rt", 4)}, SplitCause::Size}};
  persisted.splits_due = {{kAt.plus(std::chrono::seconds(300)), {0xFFFFFF, ""}, SplitCause::Heat}};
  persisted.growths_due = {{kAt, {1, 0}}, {kAt, {0, 2}}};
  persisted.on_demand_switches = {kAt, kAt.plus(std::chrono::hours(1))};
  persisted.warming = capacity::ScheduledThroughput{kAt, {50'000, 0}};
  persisted.balances = capacity::PersistedBalances{
      kAt, {{0, 17}, {3, -5'000'000}, {15, 0}}};  // the last one of three partitions'
  return throughput;
}

// As programs of format versions 6 and 7 wrote it.
std::string without_balances() {
  StoredThroughput throughput = example();
  throughput.state.balances.reset();
  return encode_throughput(throughput);
}

void check_same(const capacity::ScheduledThroughput& left,
                const capacity::ScheduledThroughput& right) {
  CHECK(left.at == right.at);
  CHECK(left.to == right.to);
}

void check_same(const std::vector<capacity::PartitionSplit>& left,
                const std::vector<capacity::PartitionSplit>& right) {
  REQUIRE(left.size() == right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    CHECK(left[i].at == right[i].at);
    CHECK(left[i].boundary == right[i].boundary);
    CHECK(left[i].cause == right[i].cause);
  }
}

void check_same(const StoredThroughput& left, const StoredThroughput& right) {
  CHECK(left.throttling == right.throttling);
  CHECK(left.state.mode == right.state.mode);
  CHECK(left.state.was_warmed == right.state.was_warmed);
  CHECK(left.state.warm == right.state.warm);
  CHECK(left.state.peaks_milli == right.state.peaks_milli);
  REQUIRE(left.state.partitions.size() == right.state.partitions.size());
  for (std::size_t i = 0; i < left.state.partitions.size(); ++i) {
    CHECK(left.state.partitions[i].begin == right.state.partitions[i].begin);
    CHECK(left.state.partitions[i].size_bytes == right.state.partitions[i].size_bytes);
  }
  CHECK(left.state.on_demand_switches == right.state.on_demand_switches);
  check_same(left.state.splits, right.state.splits);
  check_same(left.state.splits_due, right.state.splits_due);
  REQUIRE(left.state.growths_due.size() == right.state.growths_due.size());
  for (std::size_t i = 0; i < left.state.growths_due.size(); ++i)
    check_same(left.state.growths_due[i], right.state.growths_due[i]);
  REQUIRE(left.state.warming.has_value() == right.state.warming.has_value());
  if (left.state.warming) check_same(*left.state.warming, *right.state.warming);
  REQUIRE(left.state.balances.has_value() == right.state.balances.has_value());
  if (!left.state.balances) return;
  CHECK(left.state.balances->as_of == right.state.balances->as_of);
  CHECK(left.state.balances->lacking == right.state.balances->lacking);
}

TEST_CASE("throughput store: what is put for a space is found, and gone when it is erased",
          "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  StoredThroughput plain;
  plain.state.partitions = {{{0, ""}, 0}};
  unwrap(put_throughput(*transaction, SpaceId{7}, example()));
  unwrap(put_throughput(*transaction, SpaceId{256}, plain));
  CHECK_FALSE(unwrap(find_throughput(*transaction, SpaceId{8})));
  check_same(unwrap(find_throughput(*transaction, SpaceId{7})).value(), example());
  check_same(unwrap(find_throughput(*transaction, SpaceId{256})).value(), plain);
  std::vector<SpaceId> spaces;
  unwrap(for_each_throughput(*transaction, [&](SpaceId space, std::string_view) -> Result<void> {
    spaces.push_back(space);
    return {};
  }));
  CHECK(spaces == std::vector{SpaceId{7}, SpaceId{256}});
  unwrap(erase_throughput(*transaction, SpaceId{7}));
  unwrap(erase_throughput(*transaction, SpaceId{7}));
  CHECK_FALSE(unwrap(find_throughput(*transaction, SpaceId{7})));
}

TEST_CASE("throughput store: a record cut off anywhere, or with a byte behind it, is an error",
          "[storage]") {
  const std::string bytes = encode_throughput(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (size == without_balances().size()) continue;
    CHECK_FALSE(decode_throughput(std::string_view(bytes).substr(0, size)));
  }
  CHECK_FALSE(decode_throughput(bytes + '\0'));
  CHECK(decode_throughput(bytes));
}

TEST_CASE("throughput store: partitions that do not cover all places mean nothing", "[storage]") {
  const auto with = [](std::vector<PersistedThroughput::Part> partitions) {
    StoredThroughput throughput;
    throughput.state.partitions = std::move(partitions);
    return decode_throughput(encode_throughput(throughput));
  };
  CHECK(with({{{0, ""}, 1}}));
  CHECK(with({{{0, ""}, 1}, {{0, "a"}, 1}, {{1, ""}, 1}}));
  CHECK_FALSE(with({}));
  CHECK_FALSE(with({{{1, ""}, 1}}));
  CHECK_FALSE(with({{{0, "a"}, 1}}));
  CHECK_FALSE(with({{{0, ""}, 1}, {{0, ""}, 1}}));
  CHECK_FALSE(with({{{0, ""}, 1}, {{5, ""}, 1}, {{4, ""}, 1}}));
  CHECK_FALSE(with({{{0, ""}, 1}, {{capacity::kHashesEnd, ""}, 1}}));
  CHECK_FALSE(with({{{0, ""}, -1}}));
}

TEST_CASE("throughput store: a record of an older program has no balances", "[storage]") {
  const StoredThroughput found = unwrap(decode_throughput(without_balances()));
  CHECK_FALSE(found.state.balances);
  CHECK(found.state.partitions.size() == 3);
  StoredThroughput full = example();
  full.state.balances->lacking.clear();
  check_same(unwrap(decode_throughput(encode_throughput(full))), full);
}

TEST_CASE("throughput store: buckets that are not there, or not in order, mean nothing",
          "[storage]") {
  const auto with = [](std::vector<capacity::PersistedBalances::Bucket> lacking) {
    StoredThroughput throughput = example();
    throughput.state.balances->lacking = std::move(lacking);
    return decode_throughput(encode_throughput(throughput));
  };
  CHECK(with({{15, 1}}));
  CHECK_FALSE(with({{16, 1}}));
  CHECK_FALSE(with({{4, 1}, {4, 1}}));
  CHECK_FALSE(with({{4, 1}, {3, 1}}));
}

TEST_CASE("throughput store: what no program writes is an error", "[storage]") {
  const std::string bytes = encode_throughput(example());
  for (const std::size_t place : {0U, 1U, 2U}) {  // throttling, mode, was warmed
    std::string wrong = bytes;
    wrong[place] = '\x05';
    CHECK_FALSE(decode_throughput(wrong));
  }
}

}  // namespace
}  // namespace stator::storage

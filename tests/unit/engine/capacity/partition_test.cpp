// Partitions as ranges of places: lookup, splits, debts; the sketch of keys; where heat is split.
#include "engine/capacity/partition.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "engine/capacity/heat_watch.h"
#include "engine/capacity/key_sketch.h"

using namespace stator;
using namespace stator::capacity;

namespace {

constexpr Timestamp kNow{1'790'000'000'000'000};

// Numbers below a bound, the same for a seed.
class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

 private:
  std::mt19937 random_;
};

std::vector<Position> begins_of(const PartitionMap& map) {
  std::vector<Position> begins;
  for (const Partition* partition : map.all()) begins.push_back(partition->begin);
  return begins;
}

// Several windows, each with places and units; the last one is closed as well.
std::optional<Position> split_of(const std::vector<std::vector<std::pair<Position, int>>>& windows,
                                 std::size_t windows_max = 5) {
  HeatWatch watch(windows_max);
  for (const auto& window : windows) {
    for (const auto& [position, units] : window) {
      watch.add({.hash = position.hash, .sort = position.sort, .partition = {}}, units * 1000);
    }
    watch.end_window(/*was_hot=*/true);
  }
  return watch.split_point();
}

}  // namespace

TEST_CASE("partitions: equal ranges are those that partition_of counts", "[capacity]") {
  for (const std::uint32_t count : {1U, 3U, 4U, 7U, 64U}) {
    const PartitionMap map(PartitionMap::equal_ranges(count), {}, kNow);
    const std::vector<Position> begins = begins_of(map);
    REQUIRE(begins.size() == count);
    for (std::uint32_t hash = 0; hash < kHashesEnd; hash += 4099) {
      CHECK(map.at({.hash = hash}).begin == begins[partition_of(hash, count)]);
    }
    for (const Position& begin : begins) {
      CHECK(map.at({.hash = begin.hash}).begin == begin);
      if (begin.hash > 0) CHECK(map.at({.hash = begin.hash - 1}).begin != begin);
    }
  }
}

TEST_CASE("partitions: splits at random, each place is in the range before it", "[capacity]") {
  Numbers random(20261122);
  PartitionMap map(PartitionMap::equal_ranges(3), {}, kNow);
  std::vector<Position> known = begins_of(map);
  std::set<Position> expected(known.begin(), known.end());
  for (int i = 0; i < 300; ++i) {
    const Position boundary{random.below(50) * 300'000, std::string(random.below(3), 'b')};
    const bool is_new = expected.insert(boundary).second;
    CHECK((map.split(boundary, {}, kNow) != nullptr) == is_new);
  }
  known = begins_of(map);
  CHECK(std::equal(known.begin(), known.end(), expected.begin(), expected.end()));
  CHECK(map.count() == expected.size());
  for (int i = 0; i < 1000; ++i) {
    const Position wanted{random.below(kHashesEnd), std::string(random.below(4), 'b')};
    const auto behind = expected.upper_bound(wanted);
    CHECK(map.at({.hash = wanted.hash, .sort = wanted.sort}).begin == *std::prev(behind));
  }
}

TEST_CASE("partitions: there are never more than the bound", "[capacity]") {
  CapacityParameters parameters;
  parameters.partitions_max = 5;
  PartitionMap map(PartitionMap::equal_ranges(4), parameters, kNow);
  CHECK(map.split({100, {}}, parameters, kNow) != nullptr);
  CHECK(map.split({200, {}}, parameters, kNow) == nullptr);
  CHECK(map.all().size() == 5);
}

TEST_CASE("partitions: halves begin full, or with the debt of the whole", "[capacity]") {
  PartitionMap map(PartitionMap::equal_ranges(1), {}, kNow);
  Partition& whole = map.at({.hash = 0});
  whole.side(Dimension::Read).limit.take(2'999 * kMicroPerUnit, kNow);
  whole.side(Dimension::Write).limit.take(1'400 * kMicroPerUnit, kNow);
  whole.size_bytes = 7;
  map.split({kHashesEnd / 2, {}}, {}, kNow);
  for (const Partition* half : map.all()) {
    CHECK(half->side(Dimension::Read).limit.balance_micro(kNow) == 3'000 * kMicroPerUnit);
    CHECK(half->side(Dimension::Write).limit.balance_micro(kNow) == -400 * kMicroPerUnit);
  }
  CHECK(map.all()[0]->size_bytes == 4);
  CHECK(map.all()[1]->size_bytes == 3);
}

TEST_CASE("partitions: threads look for places while they are split", "[capacity]") {
  PartitionMap map(PartitionMap::equal_ranges(4), {}, kNow);
  std::atomic<bool> is_done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i) {
    threads.emplace_back([&map, &is_done, &wrong, i] {
      Numbers random(i);
      while (!is_done.load(std::memory_order_relaxed)) {
        const std::uint32_t hash = random.below(kHashesEnd);
        Partition& found = map.at({.hash = hash});
        found.side(Dimension::Read).limit.take(1, kNow);
        if (found.begin.hash > hash) wrong.fetch_add(1);
      }
    });
  }
  Numbers random(4);
  for (int i = 0; i < 500; ++i) map.split({random.below(kHashesEnd), {}}, {}, kNow);
  is_done = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("key sketch: with few keys all is exact", "[capacity]") {
  KeySketch sketch(4, 3);
  for (int i = 0; i < 10; ++i) sketch.add(1, "abc", 1000);
  sketch.add(1, "abd", 500);
  sketch.add(2, "abc", 700);
  sketch.add(1, "abcdef", 1);  // as far as it is kept the first
  REQUIRE(sketch.entries().size() == 3);
  CHECK(sketch.entries()[0].units_milli == 10'001);
  CHECK(sketch.entries()[0].error_milli == 0);
  sketch.halve();
  CHECK(sketch.entries()[2].units_milli == 350);
  for (int i = 0; i < 20; ++i) sketch.halve();
  CHECK(sketch.entries().empty());
}

TEST_CASE("key sketch: heavy keys are found among many, within the error told", "[capacity]") {
  Numbers random(7);
  KeySketch sketch(16, 8);
  std::map<std::uint32_t, std::int64_t> exact;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t key = random.below(4) == 0 ? random.below(3) : 10 + random.below(5'000);
    exact[key] += 1000;
    sketch.add(key, {}, 1000);
  }
  CHECK(sketch.entries().size() == 16);
  for (std::uint32_t heavy = 0; heavy < 3; ++heavy) {
    const auto found =
        std::find_if(sketch.entries().begin(), sketch.entries().end(),
                     [heavy](const KeySketch::Entry& entry) { return entry.hash == heavy; });
    REQUIRE(found != sketch.entries().end());
    CHECK(found->units_milli >= exact[heavy]);
    CHECK(found->units_milli - found->error_milli <= exact[heavy]);
  }
}

TEST_CASE("heat: the boundary has half of the units before it", "[capacity]") {
  const std::vector<std::pair<Position, int>> even = {
      {{10, ""}, 5}, {{20, ""}, 5}, {{30, "a"}, 5}, {{30, "b"}, 5}};
  CHECK(split_of({even, even}) == Position{30, "a"});
  // One outweighs the rest: it is cut off on the better side; of equals the first.
  CHECK(split_of({{{{10, ""}, 1}, {{20, ""}, 90}, {{30, ""}, 2}}}) == Position{30, ""});
  CHECK(split_of({{{{10, ""}, 1}, {{20, ""}, 90}, {{30, ""}, 1}}}) == Position{20, ""});
}

TEST_CASE("heat: one item, or a sequence, gains nothing by a split", "[capacity]") {
  CHECK_FALSE(split_of({{{{10, "x"}, 5}}, {{{10, "x"}, 5}}}));
  const auto window = [](const char* first, const char* last) {
    return std::vector<std::pair<Position, int>>{{{10, first}, 5}, {{10, last}, 5}};
  };
  CHECK_FALSE(split_of({window("a", "b"), window("c", "d"), window("e", "f")}));
  CHECK_FALSE(split_of({window("e", "f"), window("c", "d"), window("a", "b")}));
  CHECK(split_of({window("a", "c"), window("c", "d"), window("e", "f")}));
  CHECK(split_of({window("a", "b"), window("e", "f"), window("c", "d")}));
}

TEST_CASE("heat: only the last windows count, and a cool one ends them", "[capacity]") {
  const std::vector<std::pair<Position, int>> low = {{{10, ""}, 50}, {{20, ""}, 50}};
  const std::vector<std::pair<Position, int>> high = {{{80, ""}, 5}, {{90, ""}, 5}};
  CHECK(split_of({low, high, high}, 2) == Position{90, ""});
  HeatWatch watch(5);
  watch.add({.hash = 10}, 1);
  watch.add({.hash = 20}, 1);
  watch.end_window(/*was_hot=*/false);
  watch.add({.hash = 30}, 1);
  watch.end_window(/*was_hot=*/true);
  CHECK_FALSE(watch.split_point());
}

// Walks over ranges of sort keys against a std::map, and the places they start from.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/keys/key_codec.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/item_store.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

constexpr SpaceId kSpace{7};

using Sorts = std::map<std::string, std::string>;  // sort key to record

std::vector<std::string> rest_of_walk(RecordCursor& cursor) {
  std::vector<std::string> records;
  while (const auto record = cursor.record()) {
    records.emplace_back(*record);
    unwrap(cursor.next());
  }
  return records;
}

std::vector<std::string> expected_range(const Sorts& sorts, const std::string& lower,
                                        const std::string& upper, Direction direction) {
  std::vector<std::string> records;
  for (auto entry = sorts.lower_bound(lower); entry != sorts.end(); ++entry) {
    if (!upper.empty() && entry->first >= upper) break;
    records.push_back(entry->second);
  }
  if (direction == Direction::Backward) std::reverse(records.begin(), records.end());
  return records;
}

// Sort keys of 0 to 3,000 bytes that share long beginnings, so that bounds and records meet in the
// nodes at every depth.
class SortKeys {
 public:
  explicit SortKeys(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }
  const std::string& any() { return made_[below(made_.size())]; }

  std::string make() {
    std::string sort = below(4) == 0 ? "" : any().substr(0, below(any().size() + 1));
    // The seams for short partitions lie at 501, 1,003, 1,505 and so on.
    const std::size_t lengths[] = {0, 1, 2, 3, 100, 499, 500, 501, 502, 503, 504, 1003, 1004, 1505};
    sort.append(lengths[below(std::size(lengths))], kFill[below(kFill.size())]);
    if (sort.size() > 3000) sort.resize(3000);
    if (!sort.empty() && below(4) == 0) sort.back() = kFill[below(kFill.size())];
    made_.push_back(sort);
    return sort;
  }

  // A bound: a key that is there, one right beside it, or another one.
  std::string bound() {
    std::string sort = below(2) == 0 ? any() : any().substr(0, below(any().size() + 1));
    if (below(3) == 0) sort.push_back(kFill[below(kFill.size())]);
    if (!sort.empty() && below(4) == 0) ++sort[below(sort.size())];
    return sort;
  }

 private:
  static constexpr std::string_view kFill{"\0am\xFE\xFF", 5};
  std::mt19937_64 random_;
  std::vector<std::string> made_ = {""};
};

TEST_CASE("record cursor: random ranges are walked as a map's, both ways", "[storage]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  const std::string partition(GENERATE(1U, 64U, 2048U), 'p');
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  SortKeys keys(seed);
  Sorts sorts;
  for (int i = 0; i < 250; ++i) {
    const std::string sort = keys.make();
    if (keys.below(4) == 0) continue;  // a key that bounds may meet, but without a record
    sorts[sort] = "record " + std::to_string(i);
    unwrap(put_record(*transaction, {kSpace, partition, sort}, sorts[sort]));
  }
  // Neighbours that no range may reach.
  for (const char* other : {"o", "q", ""}) {
    unwrap(put_record(*transaction, {kSpace, other, "x"}, "another partition's"));
  }
  unwrap(put_record(*transaction, {SpaceId{6}, partition, "x"}, "another space's"));
  unwrap(put_record(*transaction, {SpaceId{8}, partition, "x"}, "another space's"));

  RecordCursor cursor(*transaction, kSpace);
  for (int i = 0; i < 400; ++i) {
    const std::string lower = keys.below(6) == 0 ? "" : keys.bound();
    const std::string upper = keys.below(6) == 0 ? "" : keys.bound();
    const Direction direction = keys.below(2) == 0 ? Direction::Forward : Direction::Backward;
    INFO("seed " << seed << ", range " << i);
    unwrap(cursor.seek_range(partition, {lower, upper}, direction));
    REQUIRE(rest_of_walk(cursor) == expected_range(sorts, lower, upper, direction));
  }
}

TEST_CASE("record cursor: a walk goes on behind any key, there or not", "[storage]") {
  const std::uint64_t seed = GENERATE(11U, 12U, 13U);
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  SortKeys keys(seed);
  std::vector<std::string> partitions;
  for (int i = 0; i < 6; ++i) {
    partitions.push_back(std::to_string(i) + std::string(i % 2 == 0 ? 3 : 300, 'p'));
  }
  // Hash, partition, sort; no two of these partitions share a hash.
  std::map<std::tuple<std::uint32_t, std::string, std::string>, std::string> model;
  for (int i = 0; i < 300; ++i) {
    const std::string& partition = partitions[keys.below(partitions.size() - 1)];
    const std::string sort = keys.make();
    const std::string record = "record " + std::to_string(i);
    unwrap(put_record(*transaction, {kSpace, partition, sort}, record));
    model[{partition_hash(partition), partition, sort}] = record;
  }
  RecordCursor cursor(*transaction, kSpace);
  for (int i = 0; i < 300; ++i) {
    const std::string& partition = partitions[keys.below(partitions.size())];
    const std::string sort = keys.bound();
    unwrap(cursor.seek_after({kSpace, partition, sort}));
    auto entry = model.upper_bound({partition_hash(partition), partition, sort});
    for (; entry != model.end(); ++entry) {
      REQUIRE(cursor.record() == entry->second);
      REQUIRE(cursor.hash() == std::get<0>(entry->first));
      unwrap(cursor.next());
    }
    REQUIRE_FALSE(cursor.record().has_value());
  }
}

TEST_CASE("record cursor: positions compare as walks meet them", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  SortKeys keys(21);
  struct Place {
    std::string partition;
    std::string sort;
  };
  std::vector<Place> places;
  for (int i = 0; i < 60; ++i) {
    const std::string partition(1 + keys.below(200), "abc"[keys.below(3)]);
    for (int j = 0; j < 4; ++j) places.push_back({partition, keys.make()});
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    unwrap(
        put_record(*transaction, {kSpace, places[i].partition, places[i].sort}, std::to_string(i)));
  }
  RecordCursor cursor(*transaction, kSpace);
  unwrap(cursor.seek_first());
  std::vector<StoreKey> walked;
  for (const auto& record : rest_of_walk(cursor)) {
    const Place& place = places[std::stoul(record)];
    walked.push_back({kSpace, place.partition, place.sort});
  }
  REQUIRE(walked.size() > 100);
  for (std::size_t i = 0; i < walked.size(); ++i) {
    for (std::size_t j = 0; j < walked.size(); ++j) {
      REQUIRE(compare_positions(walked[i], walked[j]) == (i <=> j));
    }
  }
}

TEST_CASE("record cursor: the last space and the greatest bytes have an end too", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  const SpaceId last{0xFFFFFFFF};
  const std::string partition(64, '\xFF');
  const std::vector<std::string> sorts = {"", "\xFF", std::string(600, '\xFF'),
                                          std::string(1600, '\xFF')};
  for (const auto& sort : sorts) unwrap(put_record(*transaction, {last, partition, sort}, sort));
  RecordCursor cursor(*transaction, last);
  unwrap(cursor.seek_first());
  CHECK(rest_of_walk(cursor) == sorts);
  unwrap(cursor.seek_range(partition, {}, Direction::Backward));
  CHECK(rest_of_walk(cursor) == std::vector<std::string>(sorts.rbegin(), sorts.rend()));
  unwrap(cursor.seek_after({last, partition, sorts[1]}));
  CHECK(rest_of_walk(cursor) == std::vector<std::string>(sorts.begin() + 2, sorts.end()));
}

TEST_CASE("key buffer: the key behind all that begin with another", "[storage]") {
  const auto advanced = [](std::string_view bytes) {
    KeyBuffer key;
    key.append(bytes);
    key.advance();
    return std::string(key.view());
  };
  CHECK(advanced("ab") == "ac");
  CHECK(advanced("a\xFF\xFF") == "b");
  CHECK(advanced("\x7F") == "\x80");
  CHECK(advanced("\xFF\xFF").empty());
}

}  // namespace
}  // namespace stator::storage

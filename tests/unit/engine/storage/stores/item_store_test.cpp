#include "engine/storage/stores/item_store.h"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/keys/key_codec.h"
#include "engine/storage/keys/partition_hash.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

constexpr SpaceId kSpace{7};

// Records carry their own key, so that a walk shows what it meets.
struct Key {
  std::string partition;
  std::string sort;
  auto operator<=>(const Key&) const = default;
};

std::string record_of(const Key& key) { return key.partition + "|" + key.sort; }

void put(WriteTransaction& transaction, const Key& key, SpaceId space = kSpace) {
  unwrap(put_record(transaction, {space, key.partition, key.sort}, record_of(key)));
}

std::vector<std::string> rest_of_walk(RecordCursor& cursor) {
  std::vector<std::string> records;
  while (const auto record = cursor.record()) {
    records.emplace_back(*record);
    unwrap(cursor.next());
  }
  return records;
}

std::size_t entries(const Transaction& transaction, Database database) {
  std::size_t count = 0;
  std::string key;
  while (const auto record = unwrap(transaction.seek(database, key, /*after=*/true))) {
    key = record->key;
    ++count;
  }
  return count;
}

// How many sort bytes stand in the key in Items.
std::size_t inline_sort_bytes(std::string_view partition) {
  KeyBuffer key;
  append_partition_prefix(key, kSpace, partition);
  return kRecordKeyBytesMax - key.size();
}

// Sort keys around every length at which something changes, with the least and the greatest bytes
// on either side of the seams.
std::vector<std::string> boundary_sorts(std::size_t inline_bytes) {
  std::vector<std::size_t> lengths = {1, 2, 3};
  const std::size_t node_bytes = kRecordKeyBytesMax - kNodeIdBytes;
  for (const std::size_t seam : {inline_bytes, inline_bytes + node_bytes,
                                 inline_bytes + 2 * node_bytes, std::size_t{1024}}) {
    for (std::size_t length = seam - 2; length <= seam + 2; ++length) lengths.push_back(length);
  }
  lengths.push_back(8192);
  std::vector<std::string> sorts;
  for (const std::size_t length : lengths) {
    for (const char fill : {'\0', 'm', '\xFF'}) {
      const std::string base(length, fill);
      sorts.push_back(base);
      for (const char other : {'\0', '\x01', 'm', '\xFE', '\xFF'}) {
        // Differing at the end, one before it, and on both sides of the first seam.
        for (const std::size_t at : {length - 1, length - std::min<std::size_t>(2, length),
                                     inline_bytes - 1, inline_bytes, inline_bytes + 1}) {
          if (at >= length) continue;
          std::string changed = base;
          changed[at] = other;
          sorts.push_back(std::move(changed));
        }
      }
    }
  }
  std::sort(sorts.begin(), sorts.end());
  sorts.erase(std::unique(sorts.begin(), sorts.end()), sorts.end());
  return sorts;
}

TEST_CASE("item store: order and equality hold around every length of key", "[storage]") {
  const std::size_t partition_bytes = GENERATE(1U, 2U, 63U, 64U, 65U, 66U, 1000U, 2047U, 2048U);
  const std::string partition(partition_bytes, 'p');
  const auto sorts = boundary_sorts(inline_sort_bytes(partition));
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  // Neither in order nor against it.
  for (std::size_t i = 0; i < sorts.size(); ++i) {
    put(*transaction, {partition, sorts[(i * 7919) % sorts.size()]});
  }
  if (sorts.size() % 7919 == 0) FAIL("the step must not divide the count");

  std::vector<std::string> expected;
  for (const auto& sort : sorts) expected.push_back(record_of({partition, sort}));
  RecordCursor cursor(*transaction, kSpace);
  unwrap(cursor.seek_first());
  REQUIRE(rest_of_walk(cursor) == expected);

  for (std::size_t i = 0; i < sorts.size(); ++i) {
    REQUIRE(unwrap(find_record(*transaction, {kSpace, partition, sorts[i]})) == expected[i]);
    // From each key on, and behind it.
    unwrap(cursor.seek_range(partition, {sorts[i], {}}, Direction::Forward));
    REQUIRE(cursor.record() == expected[i]);
    unwrap(cursor.seek_after({kSpace, partition, sorts[i]}));
    REQUIRE(cursor.record().has_value() == (i + 1 < sorts.size()));
    if (cursor.record()) REQUIRE(cursor.record() == expected[i + 1]);
    // Replacing keeps one record.
    put(*transaction, {partition, sorts[i]});
  }
  unwrap(cursor.seek_first());
  REQUIRE(rest_of_walk(cursor) == expected);
}

TEST_CASE("item store: a key that is not there is not found at any length", "[storage]") {
  const std::string partition(GENERATE(1U, 65U), 'p');
  const auto sorts = boundary_sorts(inline_sort_bytes(partition));
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  for (std::size_t i = 0; i < sorts.size(); i += 2) put(*transaction, {partition, sorts[i]});
  RecordCursor cursor(*transaction, kSpace);
  for (std::size_t i = 1; i < sorts.size(); i += 2) {
    REQUIRE_FALSE(unwrap(find_record(*transaction, {kSpace, partition, sorts[i]})).has_value());
    REQUIRE_FALSE(unwrap(erase_record(*transaction, {kSpace, partition, sorts[i]})));
    for (const bool after : {false, true}) {
      if (after) {
        unwrap(cursor.seek_after({kSpace, partition, sorts[i]}));
      } else {
        unwrap(cursor.seek_range(partition, {sorts[i], {}}, Direction::Forward));
      }
      REQUIRE(cursor.record().has_value() == (i + 1 < sorts.size()));
      if (cursor.record()) REQUIRE(cursor.record() == record_of({partition, sorts[i + 1]}));
    }
  }
}

TEST_CASE("item store: erasing every record leaves nothing in any database", "[storage]") {
  const std::string partition(GENERATE(1U, 2048U), 'p');
  const bool in_pieces = GENERATE(false, true);
  auto sorts = boundary_sorts(inline_sort_bytes(partition));
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  for (const auto& sort : sorts) put(*transaction, {partition, sort});
  put(*transaction, {partition, sorts.back()}, SpaceId{8});
  put(*transaction, {partition, sorts.back()}, SpaceId{6});
  REQUIRE(entries(*transaction, Database::Nodes) > 0);
  if (in_pieces) {
    std::size_t calls = 1;
    while (!unwrap(erase_some(*transaction, kSpace, 10))) ++calls;
    CHECK(calls == (sorts.size() + 9) / 10);
    CHECK(unwrap(erase_some(*transaction, kSpace, 10)));
  } else {
    for (std::size_t i = 0; i < sorts.size(); ++i) {
      const auto& sort = sorts[(i * 7919) % sorts.size()];
      REQUIRE(unwrap(erase_record(*transaction, {kSpace, partition, sort})));
      REQUIRE_FALSE(unwrap(erase_record(*transaction, {kSpace, partition, sort})));
    }
  }
  RecordCursor cursor(*transaction, kSpace);
  unwrap(cursor.seek_first());
  CHECK_FALSE(cursor.record().has_value());
  // The neighbours are whole.
  for (const SpaceId neighbour : {SpaceId{6}, SpaceId{8}}) {
    CHECK(unwrap(find_record(*transaction, {neighbour, partition, sorts.back()})).has_value());
    CHECK(unwrap(erase_some(*transaction, neighbour, 100)));
  }
  CHECK(entries(*transaction, Database::Items) == 0);
  CHECK(entries(*transaction, Database::Nodes) == 0);
}

TEST_CASE("item store: equal long partitions are one, different ones are apart", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  std::vector<Key> keys;
  for (const std::size_t length : {1U, 2U, 63U, 64U, 65U, 66U, 511U, 512U, 2047U, 2048U}) {
    for (const char last : {'\0', 'a', 'b', '\xFF'}) {
      for (const char* sort : {"", "1", "2"})
        keys.push_back({std::string(length - 1, 'p') + last, sort});
    }
  }
  for (const Key& key : keys) put(*transaction, key);
  for (const Key& key : keys) {
    REQUIRE(unwrap(find_record(*transaction, {kSpace, key.partition, key.sort})) == record_of(key));
  }
  RecordCursor cursor(*transaction, kSpace);
  for (std::size_t i = 0; i < keys.size(); i += 3) {
    unwrap(cursor.seek_range(keys[i].partition, {}, Direction::Forward));
    REQUIRE(rest_of_walk(cursor) == std::vector<std::string>{record_of(keys[i]),
                                                             record_of(keys[i + 1]),
                                                             record_of(keys[i + 2])});
  }
  unwrap(cursor.seek_first());
  CHECK(rest_of_walk(cursor).size() == keys.size());
}

TEST_CASE("item store: partitions are walked in hash order, from any hash on", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  std::vector<std::pair<std::uint32_t, std::string>> expected;
  for (int i = 0; i < 500; ++i) {
    const Key key{"partition " + std::to_string(i), i % 2 == 0 ? "" : std::string(900, 's')};
    put(*transaction, key);
    expected.emplace_back(partition_hash(key.partition), record_of(key));
  }
  std::sort(expected.begin(), expected.end());
  RecordCursor cursor(*transaction, kSpace);
  for (std::size_t from = 0; from < expected.size(); from += 37) {
    for (const std::uint32_t hash : {expected[from].first, expected[from].first + 1}) {
      const auto first = std::find_if(expected.begin(), expected.end(),
                                      [&](const auto& entry) { return entry.first >= hash; });
      unwrap(cursor.seek_hash(hash));
      std::vector<std::string> records;
      for (auto it = first; it != expected.end(); ++it) records.push_back(it->second);
      REQUIRE(rest_of_walk(cursor) == records);
    }
  }
}

TEST_CASE("item store: an empty space, a partition that is not there", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  RecordCursor cursor(*transaction, kSpace);
  CHECK_FALSE(cursor.record().has_value());
  unwrap(cursor.seek_first());
  CHECK_FALSE(cursor.record().has_value());
  CHECK(unwrap(erase_some(*transaction, kSpace, 1)));
  put(*transaction, {"there", "1"});
  const std::string sort(5000, 'x');
  for (const Direction direction : {Direction::Forward, Direction::Backward}) {
    unwrap(cursor.seek_range("not there", {sort, {}}, direction));
    CHECK_FALSE(cursor.record().has_value());
  }
  CHECK_FALSE(unwrap(erase_some(*transaction, kSpace, 0)));
  CHECK(unwrap(erase_some(*transaction, kSpace, 1)));
}

TEST_CASE("item store: records may be empty or as long as an item", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  for (const std::size_t size : {0U, 1U, 8U, 4096U, 600'000U}) {
    for (const std::size_t sort_size : {1U, 1024U}) {
      const std::string sort(sort_size, 's');
      const std::string record(size, 'r');
      unwrap(put_record(*transaction, {kSpace, "p", sort}, record));
      CHECK(unwrap(find_record(*transaction, {kSpace, "p", sort})) == record);
    }
  }
}

}  // namespace
}  // namespace stator::storage

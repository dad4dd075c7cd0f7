#include "engine/indexes/index_key.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/number/number.h"

using namespace stator;

namespace {

std::string tuple(const std::vector<std::string>& elements) {
  std::string bytes;
  for (const std::string& element : elements) append_tuple_element(bytes, element);
  return bytes;
}

std::string prefix(std::string_view element) {
  std::string bytes;
  append_tuple_prefix(bytes, element);
  return bytes;
}

// One to `length_max` bytes, most of them those that the encoding treats specially.
std::string random_element(std::mt19937& random, std::size_t length_max) {
  constexpr std::string_view kBytes("\x00\x01\x02\xFE\xFF\x61", 6);
  std::string element(1 + random() % length_max, '\0');
  for (char& byte : element) byte = kBytes[random() % kBytes.size()];
  return element;
}

int sign(int value) { return (value > 0) - (value < 0); }

std::string number(std::string_view text) {
  Number parsed;
  REQUIRE(parse_number(text, NumberRules::Current, parsed) == NumberError::None);
  std::string bytes(Number::kOrderedBytesMax, '\0');
  bytes.resize(encode_number(parsed, bytes.data()));
  return bytes;
}

Table two_key_table() {
  Table table;
  table.partition_key = {"pk", Type::S};
  table.sort_key = KeyAttribute{"sk", Type::B};
  return table;
}

GlobalIndex index_of(std::vector<KeyAttribute> partition_keys,
                     std::vector<KeyAttribute> sort_keys) {
  GlobalIndex index;
  index.partition_keys = std::move(partition_keys);
  index.sort_keys = std::move(sort_keys);
  return index;
}

std::string hash_of(std::string_view partition) {
  const std::uint32_t hash = storage::partition_hash(partition);
  return {static_cast<char>(hash >> 16), static_cast<char>((hash >> 8) & 0xFF),
          static_cast<char>(hash & 0xFF)};
}

}  // namespace

TEST_CASE("index key: an element escapes its zeros and ends with 00 01", "[index]") {
  CHECK(tuple({"ab"}) == std::string("ab\x00\x01", 4));
  CHECK(tuple({std::string("\x00", 1)}) == std::string("\x00\xFF\x00\x01", 4));
  CHECK(tuple({std::string("a\x00\x00z", 4), "b"}) == std::string("a\x00\xFF\x00\xFFz\x00\x01"
                                                                  "b\x00\x01",
                                                                  11));
  CHECK(tuple({""}) == std::string("\x00\x01", 2));
}

TEST_CASE("index key: tuples stand in the order of their elements", "[index]") {
  std::mt19937 random(20261121);  // NOLINT(cert-msc51-cpp): the same cases each time
  std::size_t equal = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::vector<std::string> a{random_element(random, 4), random_element(random, 4)};
    // Half of the time with a common beginning, so that the end decides.
    const std::vector<std::string> b{random() % 2 == 0 ? a[0] : a[0] + random_element(random, 2),
                                     random_element(random, 4)};
    const int by_elements = a < b ? -1 : (b < a ? 1 : 0);
    equal += by_elements == 0 ? 1 : 0;
    INFO(i);
    REQUIRE(sign(tuple(a).compare(tuple(b))) == by_elements);
    REQUIRE(sign((tuple(a) + "tie").compare(tuple(b) + "tie")) == by_elements);
  }
  CHECK(equal > 0);
}

TEST_CASE("index key: what begins with a prefix is one range of bytes", "[index]") {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same cases each time
  std::size_t inside = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string element = random_element(random, 5);
    const std::string start = random_element(random, 2);
    const bool begins = element.starts_with(start);
    inside += begins ? 1 : 0;
    INFO(i);
    REQUIRE(tuple({element}).starts_with(prefix(start)) == begins);
  }
  CHECK(inside > 1000);
}

TEST_CASE("index key: numbers keep their order in tuples", "[index]") {
  const std::vector<std::string> ascending{"-1e125", "-100",   "-10", "-1.5", "-1",   "-0.001",
                                           "0",      "1e-130", "0.1", "1",    "1.01", "2",
                                           "10",     "100",    "101", "1e125"};
  std::vector<std::string> tuples;
  for (const std::string& text : ascending) tuples.push_back(tuple({number(text)}));
  CHECK(std::is_sorted(tuples.begin(), tuples.end()));
  CHECK(std::adjacent_find(tuples.begin(), tuples.end()) == tuples.end());
  CHECK(tuple({number("1.0")}) == tuple({number("1")}));
}

TEST_CASE("index key: one partition attribute stands as it is, several as a tuple", "[index]") {
  Arena arena;
  const Table table = two_key_table();
  const std::vector<Member> item{{"a", Value::string("x")},
                                 {"b", Value::binary(std::string_view("\x00y", 2))},
                                 {"pk", Value::string("p")},
                                 {"sk", Value::binary(std::string_view("\x00s", 2))}};
  const IndexKey one = index_key(table, index_of({{"b", Type::B}}, {}), item, arena);
  CHECK(one.partition == std::string_view("\x00y", 2));
  // The tie: hash of the table's whole key, element of its partition key, its sort key.
  CHECK(one.sort ==
        hash_of(std::string_view("p\x00s", 3)) + tuple({"p"}) + std::string("\x00s", 2));

  const IndexKey two =
      index_key(table, index_of({{"a", Type::S}, {"b", Type::B}}, {{"a", Type::S}}), item, arena);
  CHECK(two.partition == tuple({"x", std::string("\x00y", 2)}));
  CHECK(two.sort == tuple({"x"}) + hash_of(std::string_view("p\x00s", 3)) + tuple({"p"}) +
                        std::string("\x00s", 2));
  const std::vector<std::string_view> values{"x", std::string_view("\x00y", 2)};
  CHECK(index_partition(values, arena) == two.partition);
  CHECK(index_partition(std::span(values).last(1), arena) == one.partition);
}

TEST_CASE("index key: a local index's tie is the table's sort key", "[index]") {
  Arena arena;
  LocalIndex index;
  index.partition_keys = {{"pk", Type::S}};
  index.sort_keys = {{"a", Type::S}};
  const std::vector<Member> item{
      {"a", Value::string("x")}, {"pk", Value::string("p")}, {"sk", Value::binary("s")}};
  const IndexKey key = index_key(two_key_table(), index, item, arena);
  CHECK(key.partition == "p");
  CHECK(key.sort == tuple({"x"}) + "s");
}

TEST_CASE("index key: items with equal index keys differ by the tie alone", "[index]") {
  Arena arena;
  const Table table = two_key_table();
  const GlobalIndex index = index_of({{"a", Type::S}}, {{"n", Type::N}});
  const std::string seven = number("7");
  const auto key_of = [&](std::string_view partition, std::string_view sort) {
    const std::vector<Member> item{{"a", Value::string("x")},
                                   {"n", Value::number(seven)},
                                   {"pk", Value::string(partition)},
                                   {"sk", Value::binary(sort)}};
    return index_key(table, index, item, arena);
  };
  const IndexKey first = key_of("p", "s");
  const std::string common = tuple({seven});
  // Without an end to the partition's element the last two would be one.
  const std::vector<std::pair<std::string, std::string>> others{
      {"p", "t"}, {"q", "s"}, {"ps", "s"}, {"p", "ss"}};
  for (const auto& [partition, sort] : others) {
    const IndexKey other = key_of(partition, sort);
    INFO(partition << " " << sort);
    CHECK(other.partition == first.partition);
    CHECK(other.sort.starts_with(common));
    CHECK(other.sort != first.sort);
  }
  CHECK(key_of("p", "s").sort == first.sort);
}

#include "engine/storage/keys/key_codec.h"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/keys/partition_hash.h"

namespace stator::storage {
namespace {

std::string prefix_of(std::uint32_t space, std::string_view partition) {
  KeyBuffer key;
  append_partition_prefix(key, SpaceId{space}, partition);
  return std::string(key.view());
}

TEST_CASE("key codec: the hash is the first three bytes of MD5 over Outliers and the key",
          "[storage]") {
  // printf 'Outliersx' | md5sum, and so on.
  CHECK(partition_hash("x") == 0x545e26);
  CHECK(partition_hash("") == 0x65a4c0);
  // Whatever was asked for before.
  CHECK(partition_hash("x") == 0x545e26);
  CHECK(partition_hash("x") == 0x545e26);
  CHECK(partition_hash("y") != 0x545e26);
  CHECK(partition_hash("") == 0x65a4c0);
  CHECK(partition_hash(std::string(2048, 'p')) == 0x57277c);
}

TEST_CASE("key codec: a short partition is inline behind space, hash and length", "[storage]") {
  const std::string key = prefix_of(0x01020304, "x");
  REQUIRE(key.size() == 4 + 3 + 1 + 1);
  CHECK(key.substr(0, 4) == "\x01\x02\x03\x04");
  CHECK(key.substr(7) == "\x01x");
}

TEST_CASE("key codec: a partition beyond 64 bytes becomes a mark and a digest", "[storage]") {
  const std::string inline_key = prefix_of(1, std::string(64, 'p'));
  CHECK(inline_key.size() == 7 + 1 + 64);
  CHECK(inline_key[7] == 64);
  const std::string digested = prefix_of(1, std::string(65, 'p'));
  CHECK(digested.size() == 7 + 1 + 32);
  CHECK(digested[7] == '\xFF');
}

TEST_CASE("key codec: no partition's prefix begins another's", "[storage]") {
  std::vector<std::string> partitions;
  for (const std::size_t length :
       {1U, 2U, 3U, 31U, 32U, 33U, 63U, 64U, 65U, 66U, 255U, 256U, 2047U, 2048U}) {
    for (const char fill : {'\0', '\x01', 'a', '\xFF'}) partitions.emplace_back(length, fill);
  }
  std::vector<std::string> keys;
  for (const auto& partition : partitions) keys.push_back(prefix_of(9, partition));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < keys.size(); ++j) {
      if (i == j) continue;
      INFO(partitions[i].size() << " and " << partitions[j].size());
      REQUIRE_FALSE(keys[i].starts_with(keys[j]));
    }
  }
}

TEST_CASE("key codec: the sort bytes are inline up to 510 bytes of key, then a pointer's",
          "[storage]") {
  for (const std::size_t partition_size : {1U, 64U, 65U, 2048U}) {
    const std::string prefix = prefix_of(5, std::string(partition_size, 'p'));
    const std::size_t room = 510 - prefix.size();
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, room - 1, room}) {
      KeyBuffer key;
      key.append(prefix);
      const std::string sort(size, 's');
      CHECK(append_sort(key, sort).empty());
      CHECK(key.view() == prefix + sort);
      CHECK_FALSE(is_pointer_key(key.view()));
    }
    for (const std::size_t size : {room + 1, room + 2, std::size_t{1024}, std::size_t{8192}}) {
      KeyBuffer key;
      key.append(prefix);
      const std::string sort(size, 's');
      CHECK(append_sort(key, sort).size() == size - room);
      CHECK(key.view() == prefix + std::string(room, 's') + '\0');
      CHECK(is_pointer_key(key.view()));
    }
  }
}

TEST_CASE("key codec: a node's prefix is its number, and a pointer names it", "[storage]") {
  const KeyBuffer prefix = node_prefix(0x0102030405060708);
  CHECK(prefix.view() == "\x01\x02\x03\x04\x05\x06\x07\x08");
  CHECK(decode_pointer(prefix.view()) == 0x0102030405060708);
}

}  // namespace
}  // namespace stator::storage

// Items taken apart and joined again, against the same items decoded and encoded whole.
#include "engine/storage/records/partial_item.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/bytes/damage.h"
#include "engine/storage/records/item_codec.h"
#include "protocol/values/item_size.h"

namespace stator::storage {
namespace {

using Attributes = std::map<std::string_view, Value>;
using Names = std::vector<std::string_view>;

class Draws {
 public:
  Draws(std::uint64_t seed, Arena& arena) : random_(seed), arena_(arena) {
    for (std::size_t i = 0; i < 300; ++i) {
      // Some longer than a varint's byte can say, some that begin another.
      names_.push_back(std::to_string(below(60)) + std::string(below(9) == 0 ? 130 : 0, 'n'));
    }
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::string_view name() { return names_[below(names_.size())]; }

  Value value() {
    const std::string text(below(4) == 0 ? below(300) : below(4), 't');
    const Value scalar = Value::string(arena_.copy(std::string_view(text)));
    if (below(3) != 0) return scalar;
    const std::vector<Value> elements(below(200), scalar);
    return Value::list(arena_.copy(std::span<const Value>(elements)));
  }

  Attributes attributes(std::size_t count) {
    Attributes drawn;
    for (std::size_t i = 0; i < count; ++i) drawn.insert_or_assign(name(), value());
    return drawn;
  }

 private:
  std::mt19937_64 random_;
  Arena& arena_;
  std::vector<std::string> names_;
};

Item item_of(const Attributes& attributes, Arena& arena) {
  std::vector<Member> members;
  for (const auto& [name, value] : attributes) members.push_back({name, value});
  return arena.copy(std::span<const Member>(members));
}

std::string record_of(Item item, const Stamp& written = {}) {
  std::string record;
  encode_item(item, item_size_bytes(item), written, record);
  return record;
}

TEST_CASE("parted item: what is joined is the changed item's record", "[storage]") {
  constexpr Stamp kWritten{Timestamp{123'456}, Origin::TimeToLive};
  const std::uint64_t seed = GENERATE(range(1U, 4U));
  Arena arena;
  Draws draws(seed, arena);
  std::string scratch = "used before";
  for (int i = 0; i < 500; ++i) {
    INFO("seed " << seed << ", item " << i);
    Attributes attributes = draws.attributes(1 + draws.below(i % 50 == 0 ? 200 : 8));
    const std::string before = record_of(item_of(attributes, arena));
    Names names;
    for (std::size_t left = draws.below(6); left > 0; --left) names.push_back(draws.name());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());

    const PartialItem parted(before, names, std::nullopt, arena);
    Attributes opened;
    for (const Member& member : parted.attributes()) opened.emplace(member.name, member.value);
    CHECK(opened.size() == parted.attributes().size());
    Attributes changed;
    for (const std::string_view name : names) {
      const auto known = attributes.find(name);
      REQUIRE((known != attributes.end()) == opened.contains(name));
      if (known != attributes.end()) REQUIRE(known->second == opened.at(name));
      attributes.erase(name);
      if (draws.below(3) == 0) continue;
      changed.emplace(name, draws.value());
      attributes.emplace(name, changed.at(name));
    }
    const Item after = item_of(attributes, arena);
    REQUIRE(parted.joined(item_of(changed, arena), item_size_bytes(after), kWritten, scratch,
                          arena) == record_of(after, kWritten));
  }
}

TEST_CASE("parted item: without names everything stays as it is", "[storage]") {
  Arena arena;
  std::string scratch;
  const std::string record = record_of(item_of({{"a", Value::null()}}, arena));
  const PartialItem parted(record, {}, std::nullopt, arena);
  CHECK(parted.attributes().empty());
  CHECK(parted.joined({}, EncodedItem(record).size_bytes(), {}, scratch, arena) == record);
}

TEST_CASE("parted item: where bytes are no record, nothing beyond them is read", "[storage]") {
  Arena arena;
  Draws draws(7, arena);
  const std::string record = record_of(item_of(draws.attributes(20), arena));
  const Names names = {"1", "30", "5", "zzz"};  // to the end
  for (std::size_t size = 0; size < record.size(); ++size) {
    const std::vector<char> cut(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_THROWS_AS(PartialItem(std::string_view(cut.data(), size), names, std::nullopt, arena),
                    DamagedData);
  }
}

}  // namespace
}  // namespace stator::storage

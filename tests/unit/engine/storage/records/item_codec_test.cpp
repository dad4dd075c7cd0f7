#include "engine/storage/records/item_codec.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/records/packed_size.h"
#include "protocol/number/number.h"
#include "protocol/values/item_size.h"

namespace stator::storage {
namespace {

Value number(std::string_view text, Arena& arena) {
  Number parsed;
  REQUIRE(parse_number(text, NumberRules::Current, parsed) == NumberError::None);
  return Value::number(encode_number(parsed, arena));
}

Value strings(Type type, std::vector<std::string_view> elements, Arena& arena) {
  std::sort(elements.begin(), elements.end());
  return Value::set(type, arena.copy(std::span<const std::string_view>(elements)));
}

Item item_of(std::vector<Member> members, Arena& arena) {
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.name < b.name; });
  return arena.copy(std::span<const Member>(members));
}

Item item_of_every_type(Arena& arena) {
  const std::vector<Value> elements = {Value::null(), Value::boolean(false), Value::list({}),
                                       Value::map({})};
  const Value list = Value::list(arena.copy(std::span<const Value>(elements)));
  return item_of(
      {{"s", Value::string("text \"quoted\" \xC3\xA4\n")},
       {"empty", Value::string("")},
       {"n", number("-12345678901234567890123456789012345678e10", arena)},
       {"zero", number("0", arena)},
       {"b", Value::binary(std::string_view("\0\x01\xFF", 3))},
       {"t", Value::boolean(true)},
       {"f", Value::boolean(false)},
       {"null", Value::null()},
       {"ss", strings(Type::SS, {"b", "a", ""}, arena)},
       {"ns",
        strings(Type::NS, {number("1", arena).bytes(), number("-2.5", arena).bytes()}, arena)},
       {"bs", strings(Type::BS, {"\xFF", ""}, arena)},
       {"l", list},
       {"m", Value::map(item_of({{"", Value::string("no name")}, {"inner", list}}, arena))}},
      arena);
}

std::string encoded(Item item) {
  std::string record;
  encode_item(item, record);
  return record;
}

std::string json_of(Item item) {
  std::string json;
  append_item_json(json, item);
  return json;
}

bool same(Item a, Item b) { return Value::map(a) == Value::map(b); }

TEST_CASE("item codec: every type survives", "[storage]") {
  Arena arena;
  const Item item = item_of_every_type(arena);
  const std::string record = encoded(item);
  REQUIRE(is_valid_record(record));
  const EncodedItem view(record);
  CHECK(view.size_bytes() == item_size_bytes(item));
  CHECK(view.attribute_count() == item.size());
  CHECK(same(view.decode(arena), item));
  for (const Member& member : item) {
    const auto found = view.find(member.name, arena);
    REQUIRE(found.has_value());
    CHECK(*found == member.value);
  }
  for (const char* name : {"", "a", "mm", "nul", "zzz"})
    CHECK_FALSE(view.find(name, arena).has_value());
}

TEST_CASE("item codec: for a page, JSON comes with the packed size", "[storage]") {
  Arena arena;
  const std::string record = encoded(item_of_every_type(arena));
  std::string plain;
  EncodedItem(record).append_json(plain);
  for (const char* sort_key : {"", "s", "n", "zero", "b", "not there"}) {
    CAPTURE(sort_key);
    std::string json;
    CHECK(EncodedItem(record).append_json_of_page(json, sort_key) ==
          packed_size_bytes(record, sort_key));
    CHECK(json == plain);
  }
}

TEST_CASE("item codec: JSON straight from the bytes is the values' JSON", "[storage]") {
  Arena arena;
  const Item item = item_of_every_type(arena);
  std::string json = "kept";
  const std::string record = encoded(item);
  EncodedItem(record).append_json(json);
  CHECK(json == "kept" + json_of(item));
  std::string small;
  const std::string small_record = encoded(item_of(
      {{"pk", Value::string("x")}, {"n", number("1.50", arena)}, {"b", Value::binary("ab")}},
      arena));
  EncodedItem(small_record).append_json(small);
  CHECK(small == R"({"b":{"B":"YWI="},"n":{"N":"1.5"},"pk":{"S":"x"}})");
}

TEST_CASE("item codec: the bytes are those that FORMAT.md draws", "[storage]") {
  Arena arena;
  const std::vector<Value> elements = {Value::boolean(true), Value::null()};
  const Item item = item_of({{"k", Value::string("vv")},
                             {"l", Value::list(elements)},
                             {"s", strings(Type::SS, {"y", "x"}, arena)}},
                            arena);
  using std::string_literals::operator""s;
  CHECK(encoded(item) ==
        "\x02"s
        "\x0E\0\0\0"s
        "\0\0\0\0\0\0\0\0"s
        "\0"s
        "\x03"s
        "\x01k"s
        "\x01\x02vv"s
        "\x01l"s
        "\x09"s
        "\x04\0\0\0"s
        "\x02"s
        "\x04\x01"s
        "\x05"s
        "\x01s"s
        "\x06"s
        "\x05\0\0\0"s
        "\x02"s
        "\x01x"s
        "\x01y"s);
}

TEST_CASE("item codec: lengths around each size of a varint survive", "[storage]") {
  Arena arena;
  for (const std::size_t size : {0U, 1U, 127U, 128U, 129U, 16383U, 16384U, 300'000U}) {
    const std::string text(size, 'x');
    const std::string record = encoded(item_of({{"v", Value::string(text)}}, arena));
    REQUIRE(is_valid_record(record));
    CHECK(EncodedItem(record).find("v", arena)->bytes() == text);
  }
  std::vector<std::string> names;
  std::vector<Member> members;
  for (int i = 0; i < 1000; ++i) names.push_back("name" + std::to_string(i));
  for (const auto& name : names) members.push_back({name, Value::null()});
  const Item item = item_of(members, arena);
  const std::string record = encoded(item);
  REQUIRE(is_valid_record(record));
  CHECK(EncodedItem(record).attribute_count() == 1000);
  CHECK(same(EncodedItem(record).decode(arena), item));
}

TEST_CASE("item codec: values nest to the service's depth, not deeper", "[storage]") {
  Arena arena;
  const auto nested = [&](int lists) {
    Value value = Value::string("deep");
    for (int i = 0; i < lists; ++i) {
      value = Value::list(arena.copy(std::span<const Value>(&value, 1)));
    }
    return item_of({{"v", value}}, arena);
  };
  const Item deepest = nested(32);
  const std::string record = encoded(deepest);
  CHECK(is_valid_record(record));
  CHECK(same(EncodedItem(record).decode(arena), deepest));
  CHECK_FALSE(is_valid_record(encoded(nested(33))));
}

TEST_CASE("item codec: an item is appended behind what is there, its size as told", "[storage]") {
  Arena arena;
  std::string out = "before";
  encode_item(item_of({{"a", Value::null()}}, arena), 12345, {}, out);
  CHECK(out.starts_with("before\x02"));
  CHECK(EncodedItem(std::string_view(out).substr(6)).size_bytes() == 12345);
}

TEST_CASE("item codec: a record tells when and by whom it was written", "[storage]") {
  Arena arena;
  const Item item = item_of({{"a", Value::null()}}, arena);
  for (const Stamp written : {Stamp{}, Stamp{{1'800'000'000'123'456}, Origin::TimeToLive},
                              Stamp{Timestamp::max(), Origin::Replication}}) {
    std::string record;
    encode_item(item, 2, written, record);
    CHECK(is_valid_record(record));
    CHECK(EncodedItem(record).written() == written);
    CHECK(EncodedItem(record).size_bytes() == 2);
    CHECK(same(EncodedItem(record).decode(arena), item));
  }
}

TEST_CASE("item codec: no damaged record passes as valid and unequal", "[storage]") {
  Arena arena;
  const std::string good = encoded(item_of_every_type(arena));
  for (std::size_t size = 0; size < good.size(); ++size) {
    REQUIRE_FALSE(is_valid_record(std::string_view(good).substr(0, size)));
  }
  CHECK_FALSE(is_valid_record(good + '\0'));
  std::size_t still_valid = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      if (!is_valid_record(damaged)) continue;
      // Another item then (a letter of a text), and encoded in its only way.
      ++still_valid;
      const Item item = EncodedItem(damaged).decode(arena);
      const EncodedItem seen(damaged);
      std::string again;
      encode_item(item, seen.size_bytes(), seen.written(), again);
      REQUIRE(again == damaged);
      if (seen.written() != EncodedItem(good).written()) continue;
      REQUIRE(json_of(item) != json_of(EncodedItem(good).decode(arena)));
    }
  }
  CHECK(still_valid > 0);
}

TEST_CASE("item codec: what is not an encoding is refused", "[storage]") {
  using std::string_literals::operator""s;
  const auto [name, unstamped] = GENERATE(table<const char*, std::string>({
      {"nothing", ""s},
      {"another format", "\x01\0\0\0\0\0"s},
      {"no count", "\x02\0\0\0\0"s},
      {"wrong size", "\x02\x01\0\0\0\0"s},
      {"a count without attributes", "\x02\0\0\0\0\x01"s},
      {"a longer varint than needed",
       "\x02\x02\0\0\0\x81\0\x01"s
       "a\x05"s},
      {"an unknown type",
       "\x02\x02\0\0\0\x01\x01"s
       "a\x0B"s},
      {"type 0",
       "\x02\x02\0\0\0\x01\x01"s
       "a\0"s},
      {"a truth of 2",
       "\x02\x02\0\0\0\x01\x01"s
       "a\x04\x02"s},
      {"names out of order",
       "\x02\x04\0\0\0\x02\x01"s
       "b\x05\x01"s
       "a\x05"s},
      {"the same name twice",
       "\x02\x04\0\0\0\x02\x01"s
       "a\x05\x01"s
       "a\x05"s},
      {"a name that is not UTF-8", "\x02\x02\0\0\0\x01\x01\xFF\x05"s},
      {"a text that is not UTF-8",
       "\x02\x02\0\0\0\x01\x01"s
       "a\x01\x01\xFF"s},
      {"an empty number",
       "\x02\x01\0\0\0\x01\x01"s
       "a\x02\0"s},
      {"an empty set",
       "\x02\x01\0\0\0\x01\x01"s
       "a\x06\x01\0\0\0\0"s},
      {"a set out of order",
       "\x02\x03\0\0\0\x01\x01"s
       "a\x06\x05\0\0\0\x02\x01y\x01x"s},
      {"a set with an element twice",
       "\x02\x03\0\0\0\x01\x01"s
       "a\x06\x05\0\0\0\x02\x01x\x01x"s},
      {"a list shorter than its length",
       "\x02\x04\0\0\0\x01\x01"s
       "a\x09\x02\0\0\0\0\0"s},
      {"a list longer than the record",
       "\x02\x04\0\0\0\x01\x01"s
       "a\x09\xFF\xFF\xFF\xFF\0"s},
      {"a length beyond 32 bits", "\x02\0\0\0\0\x01\xFF\xFF\xFF\xFF\x7F"s},
  }));
  // The texts above leave out what stands between the size and the count.
  const std::string record =
      unstamped.size() < 5 ? unstamped : std::string(unstamped).insert(5, 9, '\0');
  INFO(name);
  CHECK_FALSE(is_valid_record(record));
}

TEST_CASE("item codec: an origin that nobody writes is refused", "[storage]") {
  Arena arena;
  std::string record;
  encode_item(item_of({{"a", Value::null()}}, arena), 2, {{}, Origin{3}}, record);
  CHECK_FALSE(is_valid_record(record));
}

// ------------------------------------------------------------------------------------------------
// Random items

class RandomItems {
 public:
  explicit RandomItems(std::uint64_t seed) : random_(seed) {}

  Item item(Arena& arena) { return members(3, arena); }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string_view text(Arena& arena) {
    std::string text(below(10) == 0 ? below(400) : below(20), ' ');
    for (char& c : text) c = static_cast<char>(below(128));
    return arena.copy(text);
  }
  std::string_view bytes(Arena& arena) {
    std::string bytes(below(20), ' ');
    for (char& c : bytes) c = static_cast<char>(below(256));
    return arena.copy(bytes);
  }
  std::string_view any_number(Arena& arena) {
    Number number;
    number.digits = random_();
    number.exponent = static_cast<std::int16_t>(static_cast<int>(below(200)) - 100);
    number.negative = below(2) == 0;
    while (number.digits != 0 && number.digits % 10 == 0) number.digits /= 10;
    if (number.digits == 0) number = {};
    return encode_number(number, arena);
  }
  std::string_view scalar(Type type, Arena& arena) {
    return type == Type::S ? text(arena) : type == Type::N ? any_number(arena) : bytes(arena);
  }

  Value value(int depth, Arena& arena) {
    switch (below(depth > 0 ? 10 : 8)) {
      case 0:
        return Value::string(text(arena));
      case 1:
        return Value::number(any_number(arena));
      case 2:
        return Value::binary(bytes(arena));
      case 3:
        return Value::boolean(below(2) == 0);
      case 4:
        return Value::null();
      case 5:
        return set(Type::SS, Type::S, arena);
      case 6:
        return set(Type::NS, Type::N, arena);
      case 7:
        return set(Type::BS, Type::B, arena);
      case 8: {
        std::vector<Value> elements(below(6));
        for (Value& element : elements) element = value(depth - 1, arena);
        return Value::list(arena.copy(std::span<const Value>(elements)));
      }
      default:
        return Value::map(members(depth - 1, arena));
    }
  }
  Value set(Type type, Type of, Arena& arena) {
    std::vector<std::string_view> elements(1 + below(5));
    for (auto& element : elements) element = scalar(of, arena);
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    return Value::set(type, arena.copy(std::span<const std::string_view>(elements)));
  }
  Item members(int depth, Arena& arena) {
    std::vector<Member> members(below(8));
    for (Member& member : members) member = {text(arena), value(depth, arena)};
    const auto by_name = [](const Member& a, const Member& b) { return a.name < b.name; };
    std::sort(members.begin(), members.end(), by_name);
    const auto same_name = [](const Member& a, const Member& b) { return a.name == b.name; };
    members.erase(std::unique(members.begin(), members.end(), same_name), members.end());
    return arena.copy(std::span<const Member>(members));
  }

  std::mt19937_64 random_;
};

TEST_CASE("item codec: random items survive, in values and in JSON", "[storage]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  INFO("seed " << seed);
  RandomItems random(seed);
  Arena arena;
  for (int i = 0; i < 2000; ++i) {
    arena.reset();
    const Item item = random.item(arena);
    const std::string record = encoded(item);
    REQUIRE(is_valid_record(record));
    const EncodedItem view(record);
    REQUIRE(view.size_bytes() == item_size_bytes(item));
    REQUIRE(same(view.decode(arena), item));
    std::string json;
    view.append_json(json);
    REQUIRE(json == json_of(item));
    for (const Member& member : item) REQUIRE(view.find(member.name, arena) == member.value);
  }
}

}  // namespace
}  // namespace stator::storage

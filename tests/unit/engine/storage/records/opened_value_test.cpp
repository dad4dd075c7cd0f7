// Values opened where an update looks, against the same values decoded whole.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/bytes/damage.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/partial_value.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/updates/update.h"
#include "protocol/json/json_reader.h"
#include "protocol/number/number.h"
#include "protocol/values/item_size.h"

namespace stator::storage {
namespace {

constexpr std::string_view kNames[] = {"a", "b", "c", "d"};
constexpr std::string_view kConstants =
    R"({"ExpressionAttributeValues":{":s":{"S":"text"},":l":{"L":[{"S":""},{"L":[{"N":"1"}]}]},)"
    R"(":m":{"M":{"a":{"L":[{"S":"x"}]}}},":t":{"SS":["1","22"]}}})";

class Draws {
 public:
  Draws(std::uint64_t seed, Arena& arena) : random_(seed), arena_(arena) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }

  Value value(std::size_t levels) {
    const std::size_t kind = below(levels > 1 ? 12 : 7);
    if (kind >= 9) return list(levels);
    if (kind >= 7) return Value::map(members(levels - 1));
    switch (kind) {
      case 0:
        return Value::null();
      case 1:
        return Value::boolean(below(2) == 0);
      case 2: {
        Number number;
        REQUIRE(parse_number(below(2) == 0 ? "-120" : "7", NumberRules::Current, number) ==
                NumberError::None);
        return Value::number(encode_number(number, arena_));
      }
      case 3: {
        const std::vector<std::string_view> elements = {text(1), text(130)};
        return Value::set(Type::SS, arena_.copy(std::span<const std::string_view>(elements)));
      }
      case 4:
        return Value::binary(text(below(3)));
      default:
        return Value::string(text(below(9) == 0 ? 130 : below(3)));
    }
  }

  std::span<const Member> members(std::size_t levels) {
    std::vector<Member> drawn;
    for (const std::string_view name : kNames) {
      if (below(3) != 0) drawn.push_back({name, value(levels)});
    }
    return arena_.copy(std::span<const Member>(drawn));
  }

  // Of clauses with targets that may clash, which the parser tells.
  std::string update() {
    std::string sets;
    std::string removes;
    for (std::size_t left = 1 + below(2); left > 0; --left)
      sets.append(sets.empty() ? "SET " : ",").append(path()).append("=").append(operand(2));
    for (std::size_t left = below(2); left > 0; --left)
      removes.append(removes.empty() ? " REMOVE " : ",").append(path());
    return sets + removes;
  }

 private:
  std::string_view text(std::size_t size) {
    return arena_.copy(std::string_view(std::string(size, 't')));
  }

  Value list(std::size_t levels) {
    std::vector<Value> elements;
    while (elements.size() < 12 && below(8) != 0) {
      elements.push_back(value(levels - 1));
      // Some of them alike.
      for (std::size_t again = below(4); again > 1; --again) elements.push_back(elements.back());
    }
    return Value::list(arena_.copy(std::span<const Value>(elements)));
  }

  std::string path() {
    std::string text(kNames[below(4)]);
    while (below(2) == 0) {
      if (below(3) == 0) {
        text.append(".").append(kNames[below(4)]);
      } else {
        text.append("[").append(std::to_string(below(9))).append("]");
      }
    }
    return text;
  }

  std::string operand(std::size_t levels) {
    switch (below(levels > 0 ? 8 : 4)) {
      case 0:
      case 1:
        return std::string(":") + "slmt"[below(4)];
      case 2:
      case 3:
        return path();
      case 4:
      case 5:
        return "if_not_exists(" + path() + "," + operand(levels - 1) + ")";
      default:
        return "list_append(" + operand(levels - 1) + "," + operand(levels - 1) + ")";
    }
  }

  std::mt19937_64 random_;
  Arena& arena_;
};

std::string record_of(Item item) {
  std::string record;
  encode_item(item, record);
  return record;
}

Item opened(std::string_view record, std::span<const expr::Path> paths, Arena& arena) {
  RecordReader reader = attributes_of(record);
  const auto members = arena.allocate_array<Member>(reader.count());
  for (Member& member : members) {
    const std::string_view name = reader.bytes();
    new (&member) Member{name, read_opened(reader, name, paths, arena, /*bytes_min=*/0).value};
  }
  REQUIRE(reader.at_end());
  return members;
}

std::size_t levels_of(const Value& value) {
  std::size_t levels = 0;
  if (value.type() == Type::L) {
    for (const Value& element : value.elements()) levels = std::max(levels, levels_of(element));
  } else if (value.type() == Type::M) {
    for (const Member& member : value.members()) levels = std::max(levels, levels_of(member.value));
  }
  return levels + 1;
}

TEST_CASE("opened value: an update comes to the same as with values decoded whole", "[storage]") {
  const std::uint64_t seed = GENERATE(range(1U, 4U));
  Arena drawn;
  Draws draws(seed, drawn);
  std::size_t applied = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 8000; ++i) {
    Arena arena;
    std::string body(kConstants);
    auto placeholders = expr::Placeholders::read(*read_json(body, arena), Wording{}, arena);
    REQUIRE(placeholders);
    const std::string text = draws.update();
    const auto update = expr::parse_update(text, *placeholders, Wording{}, arena);
    if (!update) continue;
    const Item item = draws.members(/*levels=*/5);
    const std::string record = record_of(item);
    INFO("seed " << seed << ", " << text);

    const auto paths = expr::sort_paths(expr::all_paths(**update), arena);
    const Item parts = opened(record, paths, arena);
    REQUIRE(item_size_bytes(parts) == item_size_bytes(item));
    REQUIRE(record_of(parts) == record);
    const auto expected = expr::apply_update(**update, item, /*exists=*/true, arena);
    const auto met = expr::apply_update(**update, parts, /*exists=*/true, arena);
    REQUIRE(met.has_value() == expected.has_value());
    if (!met) {
      REQUIRE(met.error().message() == expected.error().message());
      ++refused;
      continue;
    }
    REQUIRE(item_size_bytes(*met) == item_size_bytes(*expected));
    REQUIRE(record_of(*met) == record_of(*expected));
    ++applied;
  }
  CHECK(applied > 500);
  CHECK(refused > 500);
}

TEST_CASE("opened value: a run tells the size and the levels of its elements", "[storage]") {
  Arena arena;
  Draws draws(5, arena);
  for (int i = 0; i < 2000; ++i) {
    const Value list = draws.value(/*levels=*/6);
    if (list.type() != Type::L) continue;
    const std::vector<Member> members = {{"a", list}};
    const std::string record = record_of(members);
    RecordReader reader = attributes_of(record);
    reader.count();
    reader.bytes();
    reader.type();
    reader.length();
    const std::size_t count = reader.count();
    const ElementRun run = read_run(reader, count, /*depth=*/2);
    REQUIRE(reader.at_end());
    CHECK(run.count == list.elements().size());
    const Value pieces[] = {Value::run(run)};
    CHECK(value_size_bytes(Value::list(pieces, /*holds_runs=*/true)) == value_size_bytes(list));
    if (count > 0) CHECK(run.depth + 1 == levels_of(list));
  }
}

TEST_CASE("opened value: a run of members ends before the name that it is told", "[storage]") {
  Arena arena;
  Draws draws(7, arena);
  for (int i = 0; i < 2000; ++i) {
    const Item item = draws.members(/*levels=*/5);
    const std::string_view end = kNames[draws.below(4)];
    const std::string record = record_of(item);
    RecordReader reader = attributes_of(record);
    const std::size_t count = reader.count();
    const ElementRun head = read_member_run(reader, count, end, /*depth=*/1);
    const ElementRun tail = read_member_run(reader, count - head.count, std::nullopt, /*depth=*/1);
    REQUIRE(reader.at_end());
    const auto is_before = [&](const Member& member) { return member.name < end; };
    CHECK(static_cast<std::ptrdiff_t>(head.count) ==
          std::count_if(item.begin(), item.end(), is_before));
    CHECK(head.count + tail.count == item.size());

    const Member pieces[] = {{"", Value::run(head)}, {end, Value::run(tail)}};
    const Value whole = Value::map(item);
    const Value parts = Value::map(pieces, /*holds_runs=*/true);
    CHECK(value_size_bytes(parts) == value_size_bytes(whole));
    CHECK(is_same_value(parts, whole));
    if (!item.empty()) CHECK(std::max(head.depth, tail.depth) + 1 == levels_of(whole));
  }
}

// A prefix of each length is read again from its start: minutes with a sanitizer.
#if defined(STATOR_SANITIZED)
constexpr std::size_t kCutStride = 13;
#else
constexpr std::size_t kCutStride = 1;
#endif

TEST_CASE("opened value: where bytes are no record, nothing beyond them is read", "[storage]") {
  Arena arena;
  Draws draws(6, arena);
  for (int i = 0; i < 20; ++i) {
    const std::string record = record_of(draws.members(/*levels=*/5));
    for (std::size_t size = kRecordHeaderBytes + 1; size < record.size(); size += kCutStride) {
      const std::vector<char> cut(record.begin(),
                                  record.begin() + static_cast<std::ptrdiff_t>(size));
      const auto open = [&] {
        RecordReader reader = attributes_of({cut.data(), cut.size()});
        for (std::size_t left = reader.count(); left > 0; --left)
          read_opened(reader, reader.bytes(), {}, arena, /*bytes_min=*/0);
      };
      CHECK_THROWS_AS(open(), DamagedData);
    }
  }
}

}  // namespace
}  // namespace stator::storage

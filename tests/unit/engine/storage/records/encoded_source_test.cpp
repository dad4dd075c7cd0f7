// What paths lead to in records, against the same paths in the decoded items.
#include "engine/storage/records/encoded_source.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/records/item_codec.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/memory/arena.h"
#include "protocol/number/number.h"

namespace stator::storage {
namespace {

// Random items with few names, so that paths often lead somewhere.
class Documents {
 public:
  explicit Documents(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }

  Item item(Arena& arena) { return members(arena, 0); }

  expr::Path path(Arena& arena) {
    const auto steps = arena.allocate_array<expr::PathElement>(1 + below(4));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      expr::PathElement step;
      step.is_index = i > 0 && below(2) == 0;
      if (step.is_index) {
        step.index = below(20) == 0 ? UINT64_MAX : below(4);
      } else {
        step.name = kNames[below(std::size(kNames))];
      }
      new (&steps[i]) expr::PathElement(step);
    }
    return steps;
  }

  Value value(Arena& arena, int depth) {
    switch (below(depth < 5 ? 10 : 6)) {
      case 0:
        return Value::string(text(arena));
      case 1:
        return Value::number(number(arena));
      case 2:
        return Value::binary(text(arena));
      case 3:
        return Value::boolean(below(2) == 0);
      case 4:
        return Value::null();
      case 5: {
        const std::string_view elements[] = {number(arena)};
        return Value::set(Type::NS, arena.copy(std::span<const std::string_view>(elements)));
      }
      case 6:
      case 7: {
        std::vector<Value> elements;
        for (std::size_t left = below(5); left > 0; --left) {
          elements.push_back(value(arena, depth + 1));
        }
        return Value::list(arena.copy(std::span<const Value>(elements)));
      }
      default:
        return Value::map(members(arena, depth + 1));
    }
  }

 private:
  // One more than items have; sorted; longer than a varint's byte can say.
  static inline const std::string kLong = std::string(200, 'n');
  static inline const std::string_view kNames[] = {"", "a", "aa", "b", "c", kLong, "z"};

  Item members(Arena& arena, int depth) {
    std::vector<Member> members;
    for (std::size_t i = 0; i + 1 < std::size(kNames); ++i) {
      if (below(3) != 0) members.push_back({kNames[i], value(arena, depth + 1)});
    }
    return arena.copy(std::span<const Member>(members));
  }

  std::string_view text(Arena& arena) {
    return arena.copy(std::string_view(std::string(below(3) == 0 ? below(400) : below(10), 't')));
  }

  std::string_view number(Arena& arena) {
    Number parsed;
    REQUIRE(parse_number(std::to_string(below(1000)), NumberRules::Current, parsed) ==
            NumberError::None);
    return encode_number(parsed, arena);
  }

  std::mt19937_64 random_;
};

TEST_CASE("encoded source: paths lead where they lead in the decoded item", "[storage]") {
  const std::uint64_t seed = GENERATE(range(1U, 6U));
  Documents documents(seed);
  std::size_t found_count = 0;
  for (int i = 0; i < 200; ++i) {
    Arena arena;
    const Item item = documents.item(arena);
    std::string record;
    encode_item(item, record);
    Arena scratch;
    const EncodedSource source(record, scratch);
    for (int j = 0; j < 50; ++j) {
      const expr::Path path = documents.path(arena);
      const Value* const expected = expr::find_value_at(item, path);
      const auto found = source.find(path);
      INFO("seed " << seed << ", item " << i << ", path " << expr::path_text(path));
      REQUIRE(found.has_value() == (expected != nullptr));
      if (expected != nullptr) REQUIRE(*found == *expected);
      found_count += found.has_value() ? 1 : 0;
    }
  }
  CHECK(found_count > 1000);  // the comparison was not about nothing
}

// What contains() asks of a list, of values that are there, nearly there and not.
TEST_CASE("encoded source: large lists contain what the decoded lists contain", "[storage]") {
  const std::uint64_t seed = GENERATE(range(1U, 4U));
  Documents documents(seed);
  Arena arena;
  std::vector<Value> elements;
  for (int i = 0; i < 2000; ++i) {
    elements.push_back(documents.value(arena, 4));
    // Here and there some alike.
    if (i % 8 == 0) elements.insert(elements.end(), documents.below(30), elements.back());
  }
  const std::string text(5000, 't');
  std::vector<Member> members;
  members.push_back({"l", Value::list(elements)});
  members.push_back({"m", Value::string(text)});
  std::string record;
  encode_item(members, record);
  Arena scratch;
  const EncodedSource source(record, scratch);
  expr::PathElement list;
  list.name = "l";
  expr::PathElement string;
  string.name = "m";
  int found_count = 0;
  for (int i = 0; i < 500; ++i) {
    const Value wanted =
        i % 2 == 0 ? elements[documents.below(elements.size())] : documents.value(arena, 4);
    const bool expected = std::find(elements.begin(), elements.end(), wanted) != elements.end();
    INFO("seed " << seed << ", value " << i);
    REQUIRE(source.list_contains({&list, 1}, wanted) == std::optional<bool>(expected));
    REQUIRE_FALSE(source.list_contains({&string, 1}, wanted).has_value());
    found_count += expected ? 1 : 0;
  }
  CHECK(found_count >= 250);
  CHECK(found_count < 500);
}

// Each path is walked to once, and no more than some.
TEST_CASE("encoded source: only a few lists of a record are searched as they are", "[storage]") {
  Arena arena;
  std::vector<std::string> names;
  for (int i = 10; i < 30; ++i) names.push_back(std::to_string(i));
  const std::vector<Value> elements(1000, Value::null());
  std::vector<Member> members;
  for (const std::string& name : names) members.push_back({name, Value::list(elements)});
  std::string record;
  encode_item(members, record);
  const EncodedSource source(record, arena);
  std::deque<expr::PathElement> steps;
  int answered = 0;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& name : names) {
      expr::PathElement& step = steps.emplace_back();
      step.name = name;
      const auto has = source.list_contains({&step, 1}, Value::null());
      if (has) CHECK(*has);
      answered += has ? 1 : 0;
    }
  }
  CHECK(answered == 16);
}

TEST_CASE("encoded source: an item that does not exist has no attributes", "[storage]") {
  Arena arena;
  const EncodedSource source({}, arena);
  expr::PathElement name;
  name.name = "a";
  CHECK_FALSE(source.find({&name, 1}).has_value());
}

}  // namespace
}  // namespace stator::storage

// SharedMap against std::map.
#include "engine/catalog/shared_map.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/seams/random.h"

using namespace stator;

namespace {

using Map = SharedMap<std::string, int>;
using Model = std::map<std::string, int, std::less<>>;
using Pairs = std::vector<std::pair<std::string, int>>;

Pairs content(const Map& map) {
  Pairs pairs;
  map.for_each([&](const std::string& key, int value) { pairs.emplace_back(key, value); });
  return pairs;
}

Pairs content_by_steps(const Map& map) {
  Pairs pairs;
  for (const auto* next = map.first(); next != nullptr; next = map.after(next->key))
    pairs.emplace_back(next->key, next->value);
  return pairs;
}

Pairs content(const Model& model) { return {model.begin(), model.end()}; }

}  // namespace

TEST_CASE("shared map: empty", "[engine]") {
  const Map map;
  CHECK(map.is_empty());
  CHECK(map.find("a") == nullptr);
  CHECK(map.first() == nullptr);
  CHECK(map.after("") == nullptr);
  CHECK(map.without("a").is_empty());
  CHECK(map.with("a", 1).without("a").is_empty());
}

TEST_CASE("shared map: random changes equal std::map's, and leave earlier maps alone", "[engine]") {
  SeededRandom random(7);
  for (const unsigned keys : {5U, 60U, 3000U}) {
    Map map;
    Model model;
    std::vector<std::pair<Map, Pairs>> earlier;
    for (int step = 0; step < 6000; ++step) {
      const std::string key = "key " + std::to_string(random.next() % keys);
      if (random.next() % 5 < 3) {
        map = map.with(key, step);
        model[key] = step;
      } else {
        map = map.without(key);
        model.erase(key);
      }
      const std::string other = "key " + std::to_string(random.next() % keys);
      const auto expected = model.find(other);
      const int* found = map.find(std::string_view(other));
      REQUIRE((found != nullptr) == (expected != model.end()));
      if (found != nullptr) REQUIRE(*found == expected->second);
      const auto behind = model.upper_bound(other);
      const auto* after = map.after(std::string_view(other));
      REQUIRE((after != nullptr) == (behind != model.end()));
      if (after != nullptr) REQUIRE(after->key == behind->first);
      REQUIRE(map.is_empty() == model.empty());
      if (step % 500 == 0) {
        REQUIRE(content(map) == content(model));
        REQUIRE(content_by_steps(map) == content(model));
        earlier.emplace_back(map, content(model));
      }
    }
    for (const auto& [kept, expected] : earlier) REQUIRE(content(kept) == expected);
  }
}

TEST_CASE("shared map: sorted input does not make it deep", "[engine][slow]") {
  // A list instead of a tree would take minutes, and its destructor the stack.
  SharedMap<int, int> map;
  constexpr int kEntries = 200'000;
  for (int i = 0; i < kEntries; ++i) map = map.with(i, -i);
  for (int i = 0; i < kEntries; i += 2) map = map.without(i);
  CHECK(map.find(100) == nullptr);
  REQUIRE(map.find(99'999) != nullptr);
  CHECK(*map.find(99'999) == -99'999);
  CHECK(map.first()->key == 1);
}

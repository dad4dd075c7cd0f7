// Sorting many by their bytes against the standard library's sort.
#include "protocol/byte_order.h"

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;

namespace {

// Texts of one length or of many, with long beginnings in common, with bytes of every value.
std::deque<std::string> texts_of(std::mt19937& random, std::size_t count) {
  std::deque<std::string> texts;
  const std::string common(random() % 2 == 0 ? 0 : random() % 30, 'c');
  const std::size_t length_max = 1 + random() % 12;
  const unsigned letters = random() % 2 == 0 ? 256 : 3;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = random() % 8 == 0 ? common.substr(0, random() % 20) : common;
    for (std::size_t left = random() % (length_max + 1); left > 0; --left)
      text.push_back(static_cast<char>(random() % letters));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

TEST_CASE("byte order: as std::sort has it, and stable", "[byte_order]") {
  std::mt19937 random(11);
  for (int round = 0; round < 24; ++round) {
    const auto texts = texts_of(random, round % 4 == 0 ? 100 : 2'000 + random() % 8'000);
    std::vector<std::string_view> elements(texts.begin(), texts.end());
    std::vector<Member> members;
    for (const std::string_view text : elements) members.push_back({text, Value::number(text)});
    auto expected = elements;
    std::sort(expected.begin(), expected.end());
    sort_by_bytes(elements);
    CHECK(elements == expected);
    // The place of a text in the deque tells where it stood.
    auto expected_members = members;
    std::stable_sort(expected_members.begin(), expected_members.end(),
                     [](const Member& a, const Member& b) { return a.name < b.name; });
    std::vector<JsonMember> sources;
    for (const Member& member : members) sources.push_back({member.name, JsonNode()});
    const auto order = order_by_name(sources);
    CHECK(std::equal(order.begin(), order.end(), expected_members.begin(), expected_members.end(),
                     [&](std::uint32_t place, const Member& member) {
                       return sources[place].name.data() == member.name.data();
                     }));
    sort_by_name(members);
    CHECK(std::equal(members.begin(), members.end(), expected_members.begin(),
                     [](const Member& a, const Member& b) {
                       return a.name.data() == b.name.data() && a.name.size() == b.name.size();
                     }));
  }
}

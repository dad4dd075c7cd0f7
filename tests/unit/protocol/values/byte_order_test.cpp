// Sorting many by their bytes against the standard library's sort.
#include "protocol/values/byte_order.h"

#include <algorithm>
#include <deque>
#include <random>
#include <set>
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

std::vector<Member> members_of(const std::deque<std::string>& names) {
  std::vector<Member> members;
  members.reserve(names.size());
  for (const std::string_view name : names) members.push_back({name, Value::number(name)});
  return members;
}

}  // namespace

TEST_CASE("byte order: as std::sort has it, and stable", "[byte_order]") {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    const auto texts = texts_of(random, round % 4 == 0   ? 100
                                        : round % 5 == 1 ? 40'000 + random() % 40'000
                                                         : 2'000 + random() % 8'000);
    std::vector<std::string_view> elements(texts.begin(), texts.end());
    auto members = members_of(texts);
    auto expected = elements;
    std::sort(expected.begin(), expected.end());
    const bool all_differ = std::adjacent_find(expected.begin(), expected.end()) == expected.end();
    CHECK(sort_by_bytes(elements) == all_differ);
    CHECK(elements == expected);
    CHECK(sort_by_bytes(elements) == all_differ);
    // The place of a text in the deque tells where it stood.
    auto expected_members = members;
    std::stable_sort(expected_members.begin(), expected_members.end(),
                     [](const Member& a, const Member& b) { return a.name < b.name; });
    const std::vector<std::string_view> sources(texts.begin(), texts.end());
    const auto order = order_by_bytes(sources);
    CHECK(std::equal(order.begin(), order.end(), expected_members.begin(), expected_members.end(),
                     [&](std::uint32_t place, const Member& member) {
                       return sources[place].data() == member.name.data();
                     }));
    std::set<std::string_view> seen;
    std::size_t first = 0;
    while (first < sources.size() && seen.insert(sources[first]).second) ++first;
    CHECK(order_if_distinct(sources).first_repeated == first);
    sort_by_name(members);
    CHECK(std::equal(members.begin(), members.end(), expected_members.begin(),
                     [](const Member& a, const Member& b) {
                       return a.name.data() == b.name.data() && a.name.size() == b.name.size();
                     }));
  }
}

TEST_CASE("byte order: few members, sorted in place", "[byte_order]") {
  std::mt19937 random(13);
  for (std::size_t count = 0; count <= 20; ++count) {
    for (int round = 0; round < 50; ++round) {
      const auto texts = texts_of(random, count);
      auto members = members_of(texts);
      auto expected = members;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Member& a, const Member& b) { return a.name < b.name; });
      sort_by_name(members);
      CHECK(std::equal(members.begin(), members.end(), expected.begin(), expected.end(),
                       [](const Member& a, const Member& b) {
                         return a.name.data() == b.name.data() && a.name.size() == b.name.size();
                       }));
    }
  }
}

TEST_CASE("byte order: the first text that equals one before it", "[byte_order]") {
  for (const std::size_t count : {0U, 1U, 2U, 2'047U, 2'048U, 2'049U, 20'000U, 140'000U}) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(std::to_string(i * 7'919 % 1'000'003));
    std::vector<std::string_view> views(texts.begin(), texts.end());
    CHECK(order_if_distinct(views).first_repeated == count);
    for (const std::size_t place : {std::size_t{1}, count / 2, count - 1}) {
      if (count < 2 || place == 0) continue;
      auto changed = views;
      changed[place] = changed[place / 2];
      CHECK(order_if_distinct(changed).first_repeated == place);
    }
  }
}

// The search for many strings against the standard library's, on texts that repeat themselves.
#include "protocol/text/substrings.h"

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace stator;

namespace {

// Of few letters, so that much matches almost: at random, doubled again and again, every so many,
// seldom another.
std::string text_of(std::mt19937& random, std::uint32_t kind, std::size_t size) {
  std::string text(size, 'a');
  for (std::size_t i = 0; i < size; ++i) {
    if (kind == 1) text[i] = static_cast<char>('a' + random() % 2);
    if (kind == 2) text[i] = static_cast<char>('a' + std::popcount(i) % 2);
    if (kind == 3) text[i] = static_cast<char>('a' + i % 3);
    if (kind == 4) text[i] = random() % 40 == 0 ? 'b' : 'a';
    if (kind == 5) text[i] = static_cast<char>(random() % 256);
  }
  return text;
}

// A piece of the text, mostly with another letter in it.
std::string almost_in(const std::string& text, std::mt19937& random, std::size_t size_max) {
  const std::size_t from = random() % (text.size() + 1);
  std::string piece = text.substr(from, random() % size_max);
  if (!piece.empty() && random() % 4 != 0) piece[random() % piece.size()] ^= 3;
  return piece;
}

int found_and_checked(const std::string& text, const std::vector<std::string>& strings) {
  std::vector<SearchPattern> wanted;
  for (const std::string& each : strings) wanted.push_back({each, true});
  find_bytes(text, wanted);
  int found = 0;
  for (const SearchPattern& each : wanted) {
    const bool is_in = text.find(each.bytes) != std::string::npos;
    found += is_in ? 1 : 0;
    if (each.is_found != is_in) {
      CAPTURE(text, each.bytes);
      CHECK(each.is_found == is_in);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("substrings: what std::string finds is found", "[substring]") {
  std::mt19937 random(7);
  int found = 0;
  int all = 0;
  for (int round = 0; round < 3'000; ++round) {
    const auto kind = static_cast<std::uint32_t>(random() % 6);
    const std::string text = text_of(random, kind, random() % 3'000);
    const std::size_t size_max = std::size_t{1} << (1 + random() % 9);
    std::vector<std::string> wanted(random() % 60);
    for (std::string& each : wanted) each = almost_in(text, random, size_max);
    found += found_and_checked(text, wanted);
    all += static_cast<int>(wanted.size());
  }
  CHECK(found > all / 4);
  CHECK(found < all * 3 / 4);
}

TEST_CASE("substrings: those of one size, in long texts", "[substring]") {
  std::mt19937 random(8);
  for (std::uint32_t kind = 0; kind < 6; ++kind) {
    const std::string text = text_of(random, kind, 60'000);
    for (const std::size_t size :
         {1U, 2U, 3U, 4U, 5U, 7U, 8U, 11U, 16U, 17U, 22U, 23U, 31U, 32U, 64U, 500U, 20'000U}) {
      std::vector<std::string> wanted(40);
      for (std::string& each : wanted) {
        each = text.substr(random() % (text.size() - size), size);
        if (random() % 4 != 0) each[random() % size] ^= 3;
      }
      CAPTURE(kind, size);
      found_and_checked(text, wanted);
    }
  }
}

TEST_CASE("substrings: at both ends, longer than the text, empty, thousands", "[substring]") {
  std::mt19937 random(9);
  const std::string text = text_of(random, 5, 20'000);
  std::vector<std::string> wanted = {"", text, text + "a", text.substr(0, 40), text.substr(19'960)};
  for (std::size_t size = 1; size < 40; ++size) {
    wanted.push_back(text.substr(0, size));
    wanted.push_back(text.substr(text.size() - size));
  }
  CHECK(found_and_checked(text, wanted) == static_cast<int>(wanted.size()) - 1);
  wanted.assign(9'000, "");
  for (std::string& each : wanted) each = text.substr(random() % 19'000, 30);
  CHECK(found_and_checked(text, wanted) == 9'000);
}

// The search for bytes against the standard library's, on texts that repeat themselves.
#include "protocol/text/substring.h"

#include <random>
#include <string>

#include <catch2/catch.hpp>

using namespace stator;

namespace {

// Of few letters, so that much matches almost.
std::string text_of(std::mt19937& random, std::size_t size) {
  std::string text(size, 'a');
  const std::uint32_t kind = random() % 4;
  for (std::size_t i = 0; i < size; ++i) {
    if (kind == 1) text[i] = static_cast<char>('a' + random() % 2);
    if (kind == 2) text[i] = static_cast<char>('a' + __builtin_popcountl(i) % 2);
    if (kind == 3) text[i] = static_cast<char>('a' + i % 3);
  }
  if (kind == 0 && size > 0) text[random() % size] = 'b';
  return text;
}

}  // namespace

TEST_CASE("substring: what std::string finds is found", "[substring]") {
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = text_of(random, random() % 300);
    std::string wanted = text_of(random, random() % 40);
    if (random() % 3 == 0) {
      const std::size_t from = random() % (text.size() + 1);
      wanted = text.substr(from, random() % 200);
      if (!wanted.empty() && random() % 2 == 0) wanted[random() % wanted.size()] ^= 1;
    }
    const bool is_in = text.find(wanted) != std::string::npos;
    found += is_in ? 1 : 0;
    CAPTURE(text, wanted);
    REQUIRE(contains_bytes(text, wanted) == is_in);
  }
  CHECK(found > 4'000);
  CHECK(found < 16'000);
}

TEST_CASE("substring: long texts, at every end", "[substring]") {
  std::string text(390'000, 'a');
  std::string wanted(195'001, 'a');
  CHECK(contains_bytes(text, wanted));
  wanted.back() = 'b';
  CHECK_FALSE(contains_bytes(text, wanted));
  text.back() = 'b';
  CHECK(contains_bytes(text, wanted));
  wanted.front() = 'b';
  CHECK_FALSE(contains_bytes(text, wanted));
  text[389'999 - 195'000] = 'b';
  CHECK(contains_bytes(text, wanted));
  CHECK(contains_bytes(text, text));
  CHECK(contains_bytes(text, ""));
  CHECK_FALSE(contains_bytes("", "a"));
  // What defeats every sieve ends in the library's search.
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>('a' + __builtin_popcountl(i) % 2);
  std::string far = text.substr(100'000, 200'000);
  CHECK(contains_bytes(text, far));
  far[150'000] ^= 3;
  CHECK_FALSE(contains_bytes(text, far));
}

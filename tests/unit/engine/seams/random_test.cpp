#include "engine/seams/random.h"

#include <set>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

namespace stator {
namespace {

// With every lower-case hexadecimal digit as an h.
std::string shape_of(std::string text) {
  for (char& c : text) {
    if (std::string_view("0123456789abcdef").find(c) != std::string_view::npos) c = 'h';
  }
  return text;
}

TEST_CASE("random: a UUID is of version 4 and variant 1, in lower case", "[engine]") {
  SeededRandom random(7);
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = random.uuid();
    REQUIRE(shape_of(uuid) == "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh");
    REQUIRE(uuid[14] == '4');
    REQUIRE(std::string_view("89ab").find(uuid[19]) != std::string_view::npos);
    REQUIRE(seen.insert(uuid).second);
  }
}

TEST_CASE("random: a UUID takes its digits from next(), first half first", "[engine]") {
  class Fixed final : public Random {
   public:
    std::uint64_t next() override {
      return calls_++ == 0 ? 0x0123456789ABCDEF : 0xFEDCBA9876543210;
    }

   private:
    int calls_ = 0;
  };
  CHECK(Fixed().uuid() == "01234567-89ab-4def-bedc-ba9876543210");
}

TEST_CASE("random: the same seed repeats the run, another does not", "[engine]") {
  SeededRandom first(42);
  SeededRandom again(42);
  SeededRandom other(43);
  const std::string uuid = first.uuid();
  CHECK(uuid == again.uuid());
  CHECK(uuid != other.uuid());
}

TEST_CASE("random: the system's randomness differs between calls", "[engine]") {
  SystemRandom random;
  CHECK(random.uuid() != random.uuid());
}

}  // namespace
}  // namespace stator

#include "streams/sequence_number.h"

#include <cstdint>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

namespace stator {
namespace {

constexpr auto kHighest = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("sequence numbers: a counter and 20 digits", "[streams]") {
  CHECK(sequence_number(1) == "100000000000000000001");
  CHECK(sequence_number(9) == "900000000000000000009");
  CHECK(sequence_number(10) == "1000000000000000000010");
  CHECK(sequence_number(kHighest) == "1844674407370955161518446744073709551615");
}

TEST_CASE("sequence numbers: the text leads back to the number, or the next one", "[streams]") {
  for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{10},
                                     std::uint64_t{1} << 40, kHighest - 1}) {
    const std::string text = sequence_number(number);
    CHECK(position_of(text, /*after=*/false) == number);
    CHECK(position_of(text, /*after=*/true) == number + 1);
    CHECK(position_of("00" + text, /*after=*/true) == number + 1);
  }
  CHECK(position_of("700000000000000000006", false) == 7);
  CHECK(position_of("700000000000000000006", true) == 7);
  CHECK(position_of("700000000000000000008", false) == 8);
  CHECK(position_of("799999999999999999999", false) == 8);
  CHECK(position_of("12", false) == 0);
  CHECK(position_of("9999999999999999999999999999999999999999", false) == kHighest);
  CHECK(position_of("99999999999999999999999999999999999999999999", true) == kHighest);
  for (const char* text : {"", "x", "-700000000000000000006", "70000000000000000000 6"})
    CHECK_FALSE(position_of(text, false).has_value());
}

}  // namespace
}  // namespace stator

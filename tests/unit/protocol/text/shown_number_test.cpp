// protocol/text/shown_number.h: numbers as people read them.
#include "protocol/text/shown_number.h"

#include <catch2/catch.hpp>

namespace stator {

TEST_CASE("shown number: groups of three digits", "[text]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(4000) == "4,000");
  CHECK(grouped(1234567) == "1,234,567");
}

TEST_CASE("shown number: rounded, without zeros at the end and without a negative zero", "[text]") {
  CHECK(rounded(-0.246016, 0) == "0");
  CHECK(rounded(-0.6, 0) == "-1");
  CHECK(rounded(299.75, 0) == "300");
  CHECK(rounded(12.5, 2) == "12.5");
  CHECK(rounded(1.004, 2) == "1");
  CHECK(rounded(-0.001, 2) == "0");
  CHECK(rounded(100.0, 2) == "100");
  CHECK(rounded(0.1 + 0.2, 2) == "0.3");
  CHECK(rounded(40000.0, 0) == "40000");
}

TEST_CASE("shown number: of text only a number is rounded", "[text]") {
  CHECK(rounded("-0.246016", 0) == "0");
  CHECK(rounded("0.5", 2) == "0.5");
  CHECK(rounded("1.0", 2) == "1");
  CHECK(rounded("", 2).empty());
  CHECK(rounded("1.0 units", 2) == "1.0 units");
}

}  // namespace stator

#include "server/options/duration.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator {
namespace {

using namespace std::chrono_literals;

TEST_CASE("duration: what is read", "[server]") {
  const struct {
    const char* text;
    std::chrono::microseconds length;
  } cases[] = {
      {"1h30m", 90min},
      {"25h", 25h},
      {"7d", 168h},
      {"90s", 90s},
      {"250ms", 250ms},
      {"1us", 1us},
      {"2w", 336h},
      {"1w2d3h4m5s6ms7us", 788'645'006'007us},
      {"0s", 0s},
      {"0d0us", 0s},
      {"100m", 100min},
      {"36525d", 876'600h},
      {"876600h", 876'600h},
      {"007s", 7s},
  };
  for (const auto& [text, length] : cases) {
    INFO(text);
    const auto read = parse_duration(text);
    REQUIRE(read);
    CHECK(*read == length);
  }
}

TEST_CASE("duration: what is none", "[server]") {
  for (const char* text : {"", "h", "1", "1x", "1.5h", "-1h", "+1h", " 1h", "1h ", "1 h", "1h1h",
                           "30m1h", "1H", "PT1H", "1hour", "1h30", "1ms1s", "\xC3\xA9"}) {
    INFO(text);
    const auto read = parse_duration(text);
    REQUIRE_FALSE(read);
    CHECK(read.error() == "'" + std::string(text) + "' is not a duration such as 1h30m, 25h " +
                              "or 250ms (w, d, h, m, s, ms, us)");
  }
  for (const char* text : {"36525d1us", "36526d", "876601h", "99999999999999999999s",
                           "9223372036854775807d", "5218w36525d"}) {
    INFO(text);
    const auto read = parse_duration(text);
    REQUIRE_FALSE(read);
    CHECK(read.error() == "'" + std::string(text) + "' is longer than 100 years");
  }
  CHECK(parse_duration(std::string(1'000'000, '1')).error() == "'this' is longer than 100 years");
}

}  // namespace
}  // namespace stator

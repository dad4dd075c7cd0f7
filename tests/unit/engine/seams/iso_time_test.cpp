// engine/seams/iso_time.cpp: times as people write them; those of signatures are in auth_test.cpp.

#include "engine/seams/iso_time.h"

#include <string>

#include <catch2/catch.hpp>

#include "engine/seams/movable_clock.h"

namespace stator {
namespace {

constexpr Timestamp kNewYear{1'798'761'600'000'000};  // 2027-01-01T00:00:00Z

TEST_CASE("iso time: what is read", "[server]") {
  const struct {
    const char* text;
    Timestamp time;
  } cases[] = {
      {"2027-01-01T00:00:00Z", kNewYear},
      {"2027-01-01t00:00:00z", kNewYear},
      {"2027-01-01", kNewYear},
      {"2027-01-01T01:00:00+01:00", kNewYear},
      {"2026-12-31T18:30:00-05:30", kNewYear},
      {"2027-01-01T00:00:00.000001Z", {kNewYear.unix_us + 1}},
      {"2027-01-01T00:00:00.25Z", {kNewYear.unix_us + 250'000}},
      {"1970-01-01T00:00:00Z", {}},
      {"2028-02-29T00:00:00Z", {1'835'395'200'000'000}},
      {"1969-12-31T23:59:59Z", {-1'000'000}},
  };
  for (const auto& [text, time] : cases) {
    INFO(text);
    CHECK(parse_iso_extended(text) == time);
  }
}

TEST_CASE("iso time: what is none", "[server]") {
  for (const char* text : {"",
                           "now",
                           "2027",
                           "2027-1-1",
                           "2027-13-01",
                           "2027-02-29",
                           "2027-01-01T",
                           "20270101T000000Z",
                           "2027-01-01T00:00:00",
                           "2027-01-01 00:00:00Z",
                           "2027-01-01T24:00:00Z",
                           "2027-01-01T00:60:00Z",
                           "2027-01-01T00:00:00.Z",
                           "2027-01-01T00:00:00.1234567Z",
                           "2027-01-01T00:00:00+1:00",
                           "2027-01-01T00:00:00+24:00",
                           "2027-01-01T00:00:00ZZ",
                           "2027-01-01T00:00:00.-1Z",
                           "-027-01-01T00:00:00Z",
                           "2027-01-01T00:00:00 Z"}) {
    INFO(text);
    CHECK_FALSE(parse_iso_extended(text));
  }
}

TEST_CASE("iso time: what is written is read again", "[server]") {
  CHECK(iso_extended(kNewYear) == "2027-01-01T00:00:00.000Z");
  CHECK(iso_extended({kNewYear.unix_us + 12'999}) == "2027-01-01T00:00:00.012Z");
  for (const std::int64_t unix_ms : {0LL, 951'782'400'123LL, 253'402'300'799'999LL}) {
    const Timestamp time{unix_ms * 1000};
    CHECK(parse_iso_extended(iso_extended(time)) == time);
  }
}

TEST_CASE("iso time: a time behind the year 9999 is shown as its last moment", "[server]") {
  for (const Timestamp time :
       {MovableClock::kEnd, MovableClock::kEnd.plus(std::chrono::microseconds(1)),
        MovableClock::kEnd.plus(std::chrono::hours(24 * 366)), Timestamp::max()})
    CHECK(iso_extended(time) == "9999-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace stator

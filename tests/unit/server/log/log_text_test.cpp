// server/log/log_text.cpp: text of requests in log lines.

#include "server/log/log_text.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

TEST_CASE("log text: control and direction characters are escaped", "[server]") {
  CHECK(log::escaped("plain words, é, 漢 and 😀") == "plain words, é, 漢 and 😀");
  CHECK(log::escaped("a\nb\tc\rd") == "a\\nb\\tc\\u000dd");
  CHECK(log::escaped(std::string_view("\0\x1b[31m\x7f", 7)) == "\\u0000\\u001b[31m\\u007f");
  CHECK(log::escaped("\u0085") == "\\u0085");
  CHECK(log::escaped("x\u2028y\u2029z") == "x\\u2028y\\u2029z");
  for (const char* turn : {"\u200e", "\u200f", "\u061c", "\u202a", "\u202e", "\u2066", "\u2069"})
    CHECK(log::escaped(turn).starts_with("\\u"));
  CHECK(log::escaped("\u200d\u2070") == "\u200d\u2070");
  CHECK(log::escaped("\xff\xfe"
                     "a\n") == "??a\\n");
}

TEST_CASE("log text: a field's value cannot forge another field", "[server]") {
  CHECK(log::field_value("", 100) == "-");
  CHECK(log::field_value("Music-2026_a.b", 100) == "Music-2026_a.b");
  CHECK(log::field_value("arn:aws:dynamodb:us-east-1:0:table/T", 100) ==
        "arn:aws:dynamodb:us-east-1:0:table/T");
  CHECK(log::field_value("x status=200 units=0", 100) == R"("x status=200 units=0")");
  CHECK(log::field_value(R"(a" status="200)", 100) == R"("a\" status=\"200")");
  CHECK(log::field_value(R"(a\)", 100) == R"("a\\")");
  CHECK(log::field_value("a\nb", 100) == R"("a\nb")");
  CHECK(log::field_value("é", 100) == "\"é\"");
}

TEST_CASE("log text: long values are cut between characters", "[server]") {
  CHECK(log::field_value("abcdef", 6) == "abcdef");
  CHECK(log::field_value("abcdefg", 6) == R"("abcdef...")");
  CHECK(log::field_value("abé", 3) == R"("ab...")");
  CHECK(log::field_value("ab漢字", 4) == R"("ab...")");
}

}  // namespace
}  // namespace stator

#include "protocol/cbor/cbor.h"

#include <array>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace stator {
namespace {

// The bytes that hexadecimal digits name, two each.
std::string bytes_of(std::string_view digits) {
  std::string out;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
    out += static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
  return out;
}

std::string written(std::string json) {
  static constexpr std::array<std::string_view, 1> kBlobs = {"Data"};
  static constexpr std::array<std::string_view, 1> kTimes = {"At"};
  Arena arena;
  const auto node = read_json(json, arena);
  REQUIRE(node);
  std::string out;
  append_cbor(out, *node, {kBlobs, kTimes});
  return out;
}

TEST_CASE("cbor: documents of the RFC's appendix and of the SDKs as JSON", "[protocol]") {
  struct Case {
    const char* digits;
    const char* json;
  };
  const Case cases[] = {
      {"00", "0"},
      {"17", "23"},
      {"1818", "24"},
      {"1903e8", "1000"},
      {"1b000000e8d4a51000", "1000000000000"},
      {"20", "-1"},
      {"3903e7", "-1000"},
      {"f4", "false"},
      {"f5", "true"},
      {"f6", "null"},
      {"f93c00", "1.0"},
      {"f9c400", "-4.0"},
      {"fa47c35000", "100000.0"},
      {"fb3ff199999999999a", "1.1"},
      {"60", R"("")"},
      {"6449455446", R"("IETF")"},
      {"62c3bc", "\"\xC3\xBC\""},
      {"4401020304", R"("AQIDBA==")"},
      {"5f42010243030405ff", R"("AQIDBAU=")"},
      {"7f657374726561646d696e67ff", R"("streaming")"},
      {"80", "[]"},
      {"83010203", "[1,2,3]"},
      {"9f018202039f0405ffff", "[1,[2,3],[4,5]]"},
      {"a26161016162820203", R"({"a":1,"b":[2,3]})"},
      {"bf6346756ef563416d7421ff", R"({"Fun":true,"Amt":-2})"},
      {"a16254c11b000001a1234567ff", nullptr},
      {"a16154c11b0000018bcfe56800", R"({"T":1700000000})"},
      {"a16154c11b0000018bcfe5687b", R"({"T":1700000000.123})"},
      {"a16154c1fb41d954fc40000000", R"({"T":1700000000.0})"},
      {"d9d9f7a0", "{}"},  // self-described
  };
  for (const Case& one : cases) {
    CAPTURE(one.digits);
    const auto json = json_of_cbor(bytes_of(one.digits));
    CHECK(json.value_or("none") == std::string(one.json == nullptr ? "none" : one.json));
  }
}

TEST_CASE("cbor: what is no document is refused", "[protocol]") {
  const char* const wrong[] = {
      "",      // nothing
      "0000",  // two documents
      "18",    // cut
      "1c",    // no such length
      "41",    // a byte string without its byte
      "5b7fffffffffffffff00",
      "5f6161ff",  // a chunk of another kind
      "5f5f4101ffff",
      "9f01",  // without an end
      "bf6161",
      "a10102",  // a key that is no text
      "61ff",    // no UTF-8
      "a161ff01",
      "f7f7",
      "f97c00",              // infinity
      "f97e00",              // not a number
      "fb7e37e43c8800759c",  // 1e300
      "ff",
      "c1",
      "c16161",                // a time that is none
      "c11b00038d7ea4c68000",  // one whose milliseconds a double does not keep
      "1bffffffffffffffff",
      "fc",
  };
  for (const char* const digits : wrong) {
    CAPTURE(digits);
    CHECK_FALSE(json_of_cbor(bytes_of(digits)));
  }
  CHECK(json_of_cbor(bytes_of("c11b00038d7ea4c67fff")) == "999999999999.999");
  CHECK(json_of_cbor(std::string(32, '\x81') + std::string(1, '\0')));
  CHECK_FALSE(json_of_cbor(std::string(33, '\x81') + std::string(1, '\0')));
}

TEST_CASE("cbor: JSON is written in the shortest form", "[protocol]") {
  CHECK(written("0") == bytes_of("00"));
  CHECK(written("23") == bytes_of("17"));
  CHECK(written("24") == bytes_of("1818"));
  CHECK(written("-1000") == bytes_of("3903e7"));
  CHECK(written("1000000000000") == bytes_of("1b000000e8d4a51000"));
  CHECK(written("1.1") == bytes_of("fb3ff199999999999a"));
  CHECK(written(R"([true,false,null,"a"])") == bytes_of("84f5f4f66161"));
  CHECK(written(R"({"Data":"AQIDBA==","a":"AQ=="})") ==
        bytes_of("a26444617461440102030461616441513d3d"));
  CHECK(written(R"({"At":1700000000.123})") == bytes_of("a1624174c11b0000018bcfe5687b"));
  CHECK(written(R"([{"At":1700000000}])") == bytes_of("81a1624174c11b0000018bcfe56800"));
}

TEST_CASE("cbor: what is written is read as the same", "[protocol]") {
  const std::string json =
      R"({"Records":[{"Data":"AAH/","PartitionKey":"ä","SequenceNumber":"4961"}],"Behind":0})";
  CHECK(json_of_cbor(written(json)) == json);
}

}  // namespace
}  // namespace stator

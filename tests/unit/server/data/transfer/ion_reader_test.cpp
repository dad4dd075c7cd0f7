#include "server/data/transfer/ion_reader.h"

#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "server/data/formats/item_of.h"
#include "server/data/transfer/ion_text.h"

namespace stator::data {
namespace {

std::string json_of(std::string_view line) {
  std::string json;
  const auto read = append_ion_line_json(json, line);
  return read ? json : read.error();
}

// The item {a:VALUE} in DynamoDB JSON, or what is wrong with it.
std::string value_of(const std::string& ion) {
  const std::string json = json_of("{Item:{a:" + ion + "}}");
  constexpr std::string_view kBefore = R"({"Item":{"a":)";
  if (json.substr(0, kBefore.size()) != kBefore) return json;
  return json.substr(kBefore.size(), json.size() - kBefore.size() - 2);
}

bool is_problem(const std::string& text) { return text.find(" at byte ") != text.npos; }

std::string quoted(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return "{\"S\":" + json + "}";
}

}  // namespace

TEST_CASE("ion reader: a line of a bulk put may have a condition", "[server]") {
  const auto put_of = [](std::string_view line) {
    std::string json;
    const auto read = append_ion_put_json(json, line);
    return read ? json : read.error();
  };
  CHECK(put_of("$ion_1_0 {Item:{pk:\"a\"}}") == R"({"Item":{"pk":{"S":"a"}}})");
  CHECK(put_of(R"({ConditionExpression:"#v < :v",ExpressionAttributeNames:{'#v':"v"},)"
               R"(ExpressionAttributeValues:{':v':2.},Item:{pk:"a"}})") ==
        R"({"ConditionExpression":"#v < :v","ExpressionAttributeNames":{"#v":"v"},)"
        R"("ExpressionAttributeValues":{":v":{"N":"2"}},"Item":{"pk":{"S":"a"}}})");
  CHECK(is_problem(put_of("{Item:{pk:\"a\"},Other:1}")));
  CHECK(is_problem(put_of("{Item:{pk:\"a\"},ConditionExpression:1}")));
  CHECK(is_problem(put_of("{Item:{pk:\"a\"}} x")));
}

TEST_CASE("ion reader: an item as the service writes it", "[server]") {
  CHECK(
      json_of(
          R"($ion_1_0 {Item:{Authors:$dynamodb_SS::["A","B"],Id:103.,Price:2d3,Flag:false}})") ==
      R"({"Item":{"Authors":{"SS":["A","B"]},"Id":{"N":"103"},"Price":{"N":"2E3"},"Flag":{"BOOL":false}}})");
  CHECK(json_of("$ion_1_0{Item:{}}") == R"({"Item":{}})");
  CHECK(json_of(" { 'Item' : { \"a b\" : null , } } ") == R"({"Item":{"a b":{"NULL":true}}})");
  CHECK(json_of(R"({"Item":{'it\'s':true,$a:false,_1:null}})") ==
        R"({"Item":{"it's":{"BOOL":true},"$a":{"BOOL":false},"_1":{"NULL":true}}})");
}

TEST_CASE("ion reader: a record of an incremental export", "[server]") {
  CHECK(json_of("$ion_1_0 {Record:{Metadata:{WriteTimestampMicros:1684374845117899.},"
                "Keys:{pk:\"a\"},NewImage:{pk:\"a\",n:1.}}}") ==
        R"({"Metadata":{"WriteTimestampMicros":{"N":"1684374845117899"}},"Keys":{"pk":{"S":"a"}},)"
        R"("NewImage":{"pk":{"S":"a"},"n":{"N":"1"}}})");
  CHECK(json_of("{Record:{Keys:{},Other:{}}}") == "a Record has no Other at byte 24");
  CHECK(json_of("{Record:{Keys:1.}}") == "a struct is missing at byte 15");
}

TEST_CASE("ion reader: numbers keep their digits", "[server]") {
  CHECK(value_of("0.") == R"({"N":"0"})");
  CHECK(value_of("-1.50") == R"({"N":"-1.50"})");
  CHECK(value_of("99999999999999999999999999999999999999.") ==
        R"({"N":"99999999999999999999999999999999999999"})");
  CHECK(value_of("1_000.2_5") == R"({"N":"1000.25"})");
  CHECK(value_of("6.d-130") == R"({"N":"6E-130"})");
  CHECK(value_of("1.5D+2") == R"({"N":"1.5E+2"})");
  CHECK(value_of("7") == R"({"N":"7"})");
  CHECK(value_of("$dynamodb_NS::[1.,-2.5]") == R"({"NS":["1","-2.5"]})");
  for (const char* const wrong :
       {"1e3", "1.e0", "01", "-", "- 1", "1__0", "1_", "0x1F", "0b1", ".5", "+1", "nan", "+inf",
        "1d", "1.2.3", "2007-02-23T", "1:", "1a", "--1"}) {
    CAPTURE(wrong);
    CHECK(is_problem(value_of(wrong)));
  }
}

TEST_CASE("ion reader: text and its escapes", "[server]") {
  CHECK(value_of(R"("")") == quoted(""));
  CHECK(value_of(R"("\0\a\b\t\n\v\f\r\"\'\?\\\/")") ==
        quoted(std::string_view("\0\a\b\t\n\v\f\r\"'?\\/", 13)));
  CHECK(value_of(R"("\x41\x7F\xfc\u20ac\U0001F600\uD83D\uDE00")") ==
        quoted("A\x7F\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80\xF0\x9F\x98\x80"));
  CHECK(value_of("\"\xC3\xBC\t\"") == quoted("\xC3\xBC\t"));
  for (const char* const wrong :
       {R"("\x4")", R"("\uD83D")", R"("\uD83D\u0041")", R"("\uDE00")", R"("\U00110000")", R"("\q")",
        R"("open)", R"("\)", "\"a\001b\"", "'symbol'", "symbol", "'''long'''", "null.string",
        "null.null", "\"a\"\"b\""}) {
    CAPTURE(wrong);
    CHECK(is_problem(value_of(wrong)));
  }
  CHECK(json_of("{Item:{a:\"\xFF\"}}") == "it is not UTF-8");
}

TEST_CASE("ion reader: blobs, lists, structs and sets", "[server]") {
  CHECK(value_of("{{}}") == R"({"B":""})");
  CHECK(value_of("{{ AQ I= }}") == R"({"B":"AQI="})");
  CHECK(value_of("$dynamodb_BS::[{{AQ==}},{{Ag==}}]") == R"({"BS":["AQ==","Ag=="]})");
  CHECK(value_of("'$dynamodb_SS' :: [ \"a\" ]") == R"({"SS":["a"]})");
  CHECK(value_of("[]") == R"({"L":[]})");
  CHECK(value_of("[ 1., [] , {x:null}, ]") ==
        R"({"L":[{"N":"1"},{"L":[]},{"M":{"x":{"NULL":true}}}]})");
  for (const char* const wrong : {"{{AQ==}",
                                  "{{\"clob\"}}",
                                  "(sexp)",
                                  "[1 2]",
                                  "[,]",
                                  "[1,,2]",
                                  "{x 1}",
                                  "{x:}",
                                  "{x:1,,}",
                                  "{x:1 y:2}",
                                  "{null:1}",
                                  "{nan:1}",
                                  "{$10:1}",
                                  "{1a:1}",
                                  "{:1}",
                                  "$dynamodb_SS::[1.]",
                                  "$dynamodb_NS::[\"1\"]",
                                  "$dynamodb_SS::\"a\"",
                                  "other::[1.]",
                                  "$dynamodb_SS:[\"a\"]",
                                  "$dynamodb_SS::$dynamodb_SS::[\"a\"]",
                                  "/* no */1",
                                  "1 // no"}) {
    CAPTURE(wrong);
    CHECK(is_problem(value_of(wrong)));
  }
  CHECK(json_of("{Item:{a:1,a:2}}") == "the name 'a' is there twice at byte 14");
}

TEST_CASE("ion reader: what is around the item", "[server]") {
  for (const char* const wrong :
       {"", "$ion_1_0", "$ion_1_1 {Item:{}}", "$ion_1_0a {Item:{}}", "[]", "{}", "{pk:\"a\"}",
        "{Item:1.}", "{Item:{}", "{Item:{}} {Item:{}}", "{Item:{},Other:1}", "{Item:[]}"}) {
    CAPTURE(wrong);
    CHECK(is_problem(json_of(wrong)));
  }
  CHECK(is_ion_version(" $ion_1_0\r"));
  CHECK_FALSE(is_ion_version("$ion_1_0 {"));
}

TEST_CASE("ion reader: nesting is bounded", "[server]") {
  const auto nested = [](int levels) {
    const auto count = static_cast<std::size_t>(levels);
    return value_of(std::string(count, '[') + std::string(count, ']'));
  };
  CHECK_FALSE(is_problem(nested(99)));
  CHECK(is_problem(nested(100)));
  CHECK(is_problem(nested(1'000'000)));
}

namespace {

// Items of every type, made by chance.
class RandomItems {
 public:
  explicit RandomItems(std::uint32_t seed) : random_{seed} {}

  std::string item(int depth) {
    std::string json = "{";
    for (int i = below(5); i > 0; --i) {
      append_json_string(json, text() + std::to_string(i));
      json += ":" + value(depth) + (i > 1 ? "," : "");
    }
    return json + "}";
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  std::string text() {
    constexpr std::string_view kPieces[] = {"a",
                                            "Z9",
                                            "_",
                                            "$",
                                            " ",
                                            "\"",
                                            "'",
                                            "\\",
                                            "\n",
                                            "\t",
                                            "\x01",
                                            "\x7F",
                                            "{{",
                                            "}}",
                                            "::",
                                            "$ion_1_0",
                                            "null",
                                            "\xC3\xBC",
                                            "\xE2\x82\xAC",
                                            "\xF0\x9F\x98\x80",
                                            "//"};
    std::string text;
    for (int i = below(6); i > 0; --i) text += kPieces[below(21)];
    return text;
  }

  std::string number() {
    std::string digits(below(2) == 0 ? "" : "-");
    digits += static_cast<char>('1' + below(9));
    for (int i = below(38); i > 0; --i) digits += static_cast<char>('0' + below(10));
    return "\"" + digits + "e" + std::to_string(below(150) - 80) + "\"";
  }

  std::string string() {
    std::string json;
    append_json_string(json, text());
    return json;
  }

  std::string value(int depth) {
    switch (below(depth > 0 ? 9 : 6)) {
      case 0:
        return "{\"S\":" + string() + "}";
      case 1:
        return "{\"N\":" + number() + "}";
      case 2:
        return below(2) == 0 ? R"({"B":""})" : R"({"B":"AQID"})";
      case 3:
        return below(2) == 0 ? R"({"BOOL":true})" : R"({"BOOL":false})";
      case 4:
        return R"({"NULL":true})";
      case 5:
        return below(2) == 0 ? R"({"BS":["AQ==","AQID"]})" : "{\"SS\":[" + string() + "]}";
      case 6:
        return "{\"NS\":[" + number() + "]}";
      case 7:
        return "{\"M\":" + item(depth - 1) + "}";
      default:
        return "{\"L\":[" + value(depth - 1) + "," + value(depth - 1) + "]}";
    }
  }

  std::mt19937 random_;
};

// In DynamoDB JSON, as items are written.
std::string canonical(std::string json) {
  Arena arena;
  const auto root = read_json(json, arena);
  REQUIRE(root);
  const auto item = item_of(*root, arena);
  REQUIRE(item);
  std::string text;
  append_item_json(text, *item);
  return text;
}

std::string ion_line(std::string json) {
  Arena arena;
  const auto root = read_json(json, arena);
  REQUIRE(root);
  const auto item = item_of(*root, arena);
  REQUIRE(item);
  std::string line = "$ion_1_0 {Item:";
  append_ion_item(line, *item);
  return line + "}";
}

}  // namespace

TEST_CASE("ion reader: reads back what the writer writes", "[server]") {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    const std::string item = RandomItems(seed).item(4);
    const std::string line = ion_line(item);
    CAPTURE(line);
    const std::string json = json_of(line);
    REQUIRE_FALSE(is_problem(json));
    constexpr std::string_view kBefore = "{\"Item\":";
    REQUIRE(canonical(json.substr(kBefore.size(), json.size() - kBefore.size() - 1)) ==
            canonical(item));
  }
}

TEST_CASE("ion reader: damaged lines give JSON or a problem", "[server]") {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    std::string line = ion_line(RandomItems(seed).item(3));
    std::mt19937 random(seed);
    constexpr std::string_view kMarks = "{}[]\"':,.\\$d0 ";
    for (int i = 0; i < 3; ++i) line[random() % line.size()] = kMarks[random() % kMarks.size()];
    CAPTURE(line);
    std::string json;
    if (!append_ion_line_json(json, line)) continue;
    Arena arena;
    REQUIRE(read_json(json, arena));
  }
}

}  // namespace stator::data

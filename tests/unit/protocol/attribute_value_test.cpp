// JSON to attribute values: the texts of both steps, in both wordings, and their order.
#include "protocol/attribute_value.h"

#include <string>

#include <catch2/catch.hpp>

#include "protocol/json_reader.h"

namespace stator {
namespace {

const Wording kClassic = Wording::of(Profile::Classic, Layer::Enveloped);
const Wording kEnveloped = Wording::of(Profile::Current, Layer::Enveloped);
const Wording kBare = Wording::of(Profile::Current, Layer::Bare);

const std::string kEmptyValue =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
const std::string kSeveralTypes =
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
    "supported datatypes";
const std::string kTooDeep =
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
    "beyond supported limit";
const std::string kNotNumeric = "The parameter cannot be converted to a numeric value";
const std::string kOverflow =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
const std::string kUnderflow =
    "Number underflow. Attempting to store a number with magnitude smaller than supported range";
const std::string kOneError = "1 validation error detected: ";
const std::string kInvalid = "One or more parameter values were invalid: ";
const std::string kNullTrue = kInvalid + "Null attribute value types must have the value of true";

// "ok", or the text of the error of step one.
std::string checked(std::string json, ValuePlace place = ValuePlace::Element) {
  Arena arena;
  const auto node = read_json(json, arena);
  REQUIRE(node);
  const auto result = check_value_types(*node, place);
  if (result) return "ok";
  CHECK(result.error().code() == ErrorCode::Serialization);
  return result.error().message();
}

template <class T>
std::string outcome(const Result<T>& result) {
  if (result) return "ok";
  CHECK(result.error().code() == ErrorCode::Validation);
  return result.error().message();
}

// The same for step two, of one value.
std::string decoded(std::string json, Wording wording) {
  Arena arena;
  const auto node = read_json(json, arena);
  REQUIRE(node);
  REQUIRE(check_value_types(*node, ValuePlace::Element));
  return outcome(decode_value(*node, wording, arena));
}

std::string decoded_item(std::string json, Wording wording) {
  Arena arena;
  const auto node = read_json(json, arena);
  REQUIRE(node);
  const auto item = decode_item(*node, wording, arena);
  if (!item) return outcome(item);
  std::string out;
  append_item_json(out, *item);
  return out;
}

std::string nested(const std::string& inner, std::size_t levels, bool in_lists = false) {
  std::string json;
  for (std::size_t i = 0; i < levels; ++i) json += in_lists ? R"({"L":[)" : R"({"M":{"m":)";
  json += inner;
  for (std::size_t i = 0; i < levels; ++i) json += in_lists ? "]}" : "}}";
  return json;
}

TEST_CASE("attribute_value: names wrong JSON types as the service does", "[protocol]") {
  const std::string structure = "Start of structure or map found where not expected";
  const std::string collection = "Unrecognized collection type ";
  const std::string base64 = "only base-64-encoded strings are convertible to bytes";
  const std::string value_class = "class com.amazonaws.dynamodb.v20120810.AttributeValue";
  const std::string value_map =
      "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>";
  struct Row {
    std::string json;
    std::string text;
  };
  const Row rows[] = {
      {R"("x")", "Unexpected value type in payload"},
      {"5", "Unexpected value type in payload"},
      {"true", "Unexpected value type in payload"},
      {"[]", collection + value_class},
      {R"({"S":5})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"S":5.5})", "DECIMAL_VALUE cannot be converted to String"},
      {R"({"S":1e400})", "DECIMAL_VALUE cannot be converted to String"},
      {R"({"S":true})", "TRUE_VALUE cannot be converted to String"},
      {R"({"S":false})", "FALSE_VALUE cannot be converted to String"},
      {R"({"S":[]})", collection + "class java.lang.String"},
      {R"({"S":{}})", structure},
      {R"({"N":5})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"N":-5.5})", "DECIMAL_VALUE cannot be converted to String"},
      {R"({"N":true})", "TRUE_VALUE cannot be converted to String"},
      {R"({"N":[]})", collection + "class java.lang.String"},
      {R"({"N":{}})", structure},
      {R"({"BOOL":"maybe"})", "Unexpected token received from parser"},
      {R"({"BOOL":""})", "Unexpected token received from parser"},
      {R"({"BOOL":"falsee"})", "Unexpected token received from parser"},
      {R"({"BOOL":1})", "NUMBER_VALUE cannot be converted to Boolean"},
      {R"({"BOOL":1.5})", "DECIMAL_VALUE cannot be converted to Boolean"},
      {R"({"BOOL":[]})", collection + "class java.lang.Boolean"},
      {R"({"BOOL":{}})", structure},
      {R"({"NULL":"maybe"})", "Unexpected token received from parser"},
      {R"({"NULL":0})", "NUMBER_VALUE cannot be converted to Boolean"},
      {R"({"NULL":[]})", collection + "class java.lang.Boolean"},
      {R"({"NULL":{}})", structure},
      {R"({"B":12})", base64},
      {R"({"B":1.5})", base64},
      {R"({"B":true})", base64},
      {R"({"B":[]})", collection + "class java.nio.ByteBuffer"},
      {R"({"B":{}})", structure},
      {R"({"B":"abcde"})", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"},
      {R"({"B":"=+/="})", "Invalid last non-pad Base64 character dectected"},
      {R"({"B":"+/+="})", "Invalid last non-pad Base64 character dectected"},
      {R"({"SS":"x"})", "Unexpected field type"},
      {R"({"SS":1})", "Unexpected field type"},
      {R"({"SS":{}})", structure},
      {R"({"SS":[1]})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"SS":["a",null]})", "NULL_VALUE cannot be converted to String"},
      {R"({"SS":[[]]})", collection + "class java.lang.String"},
      {R"({"NS":[1]})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"NS":true})", "Unexpected field type"},
      {R"({"NS":[{}]})", structure},
      {R"({"BS":"AA=="})", "Unexpected field type"},
      {R"({"BS":[1]})", base64},
      {R"({"BS":[null]})", base64},
      {R"({"BS":["AA==","abc"]})",
       "Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
      {R"({"L":"x"})", "Unexpected field type"},
      {R"({"L":{}})", structure},
      {R"({"L":["x"]})", "Unexpected value type in payload"},
      {R"({"L":[[]]})", collection + value_class},
      {R"({"L":[{"S":"a"},{"L":[{"N":1}]}]})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"M":"x"})", "Unexpected field type"},
      {R"({"M":[]})", collection + value_map},
      {R"({"M":{"a":"x"}})", "Unexpected value type in payload"},
      {R"({"M":{"a":[]}})", collection + value_class},
      {R"({"M":{"a":{"M":{"b":{"B":0}}}}})", base64},
      // The first wrong member in the order of the text.
      {R"({"N":5,"S":true})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"S":true,"N":5})", "TRUE_VALUE cannot be converted to String"},
      {R"({"S":5,"S":"a"})", "NUMBER_VALUE cannot be converted to String"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.json);
    CHECK(checked(row.json) == row.text);
  }
  CHECK(checked(R"("x")", ValuePlace::Member) == "Unexpected field type");
  CHECK(checked("1.5", ValuePlace::Member) == "Unexpected field type");
  CHECK(checked("[]", ValuePlace::Member) == collection + value_class);
  // A place is that of the value itself, not of what it contains.
  CHECK(checked(R"({"L":["x"]})", ValuePlace::Member) == "Unexpected value type in payload");
}

TEST_CASE("attribute_value: ignores unknown members and nulls", "[protocol]") {
  for (const char* json :
       {"{}", "null", R"({"S":null})", R"({"X":5})", R"({"s":5,"NN":[],"BOO":{},"nULL":1})",
        R"({"L":[null]})", R"({"M":{"a":null}})", R"({"S":"a","N":null,"SS":null,"M":null})",
        R"({"S":"a","N":"1"})", R"({"B":""})", R"({"SS":[],"L":[],"M":{}})"}) {
    CAPTURE(json);
    CHECK(checked(json) == "ok");
  }
  for (const char* json : {R"({"S":"a","N":null})", R"({"X":1,"S":"a","ZZ":{}})",
                           R"({"S":null,"S":"a"})", R"({"N":"x","N":"1"})"}) {
    CAPTURE(json);
    CHECK(decoded(json, kEnveloped) == "ok");
  }
}

TEST_CASE("attribute_value: takes the words of a Boolean in any case", "[protocol]") {
  for (const char* word : {"true", "TRUE", "True", "1", "yes", "YES", "yEs"}) {
    const std::string json = R"({"a":{"BOOL":")" + std::string(word) + R"("}})";
    CHECK(decoded_item(json, kEnveloped) == R"({"a":{"BOOL":true}})");
    CHECK(decoded(R"({"NULL":")" + std::string(word) + R"("})", kEnveloped) == "ok");
  }
  for (const char* word : {"false", "FALSE", "False", "0", "no", "No"}) {
    const std::string json = R"({"a":{"BOOL":")" + std::string(word) + R"("}})";
    CHECK(decoded_item(json, kEnveloped) == R"({"a":{"BOOL":false}})");
    CHECK(decoded(R"({"NULL":")" + std::string(word) + R"("})", kBare) == kNullTrue);
  }
}

// A value and its errors: the classic one, the new one, and whether the enveloped layer has a
// prefix before the latter.
struct ErrorRow {
  std::string json;
  std::string classic;
  std::string current;
  bool is_enveloped;
};

void check_rows(std::span<const ErrorRow> rows) {
  for (const ErrorRow& row : rows) {
    CAPTURE(row.json);
    CHECK(decoded(row.json, kClassic) == row.classic);
    CHECK(decoded(row.json, kBare) == row.current);
    const std::string enveloped = (row.is_enveloped ? kOneError : "") + row.current;
    CHECK(decoded(row.json, kEnveloped) == enveloped);
    // An element's error is its own, without a path.
    CHECK(decoded(R"({"L":[{"S":"a"},)" + row.json + "]}", kEnveloped) == enveloped);
    CHECK(decoded(R"({"M":{"a":{"S":"a"},"b":)" + row.json + "}}", kEnveloped) == enveloped);
    CHECK(decoded_item(R"({"a":{"S":"a"},"b":)" + row.json + "}", kClassic) == row.classic);
  }
}

ErrorRow same(std::string json, std::string text, bool is_enveloped) {
  return {std::move(json), text, text, is_enveloped};
}

TEST_CASE("attribute_value: refuses wrong values with the texts of both wordings", "[protocol]") {
  const ErrorRow rows[] = {
      same("{}", kEmptyValue, false),
      same("null", kEmptyValue, false),
      same(R"({"X":"y"})", kEmptyValue, false),
      same(R"({"S":null})", kEmptyValue, false),
      same(R"({"S":"a","S":null})", kEmptyValue, false),
      same(R"({"L":[null]})", kEmptyValue, false),
      same(R"({"M":{"x":{}}})", kEmptyValue, false),
      same(R"({"NULL":false})", kNullTrue, true),
      same(R"({"SS":[]})", kInvalid + "An string set  may not be empty", true),
      same(R"({"NS":[]})", kInvalid + "An number set  may not be empty", true),
      same(R"({"BS":[]})", kInvalid + "Binary sets should not be empty", true),
      same(R"({"N":"abc"})", kNotNumeric + ": abc", true),
      same(R"({"N":" 5"})", kNotNumeric + ":  5", true),
      {R"({"N":""})", kNotNumeric, kNotNumeric + ": ", true},
      {R"({"NS":["1",""]})", kNotNumeric, kNotNumeric + ": ", true},
      same(R"({"NS":["1","zz"]})", kNotNumeric + ": zz", true),
      same(R"({"N":"1e126"})", kOverflow, true),
      same(R"({"NS":["1","1e126"]})", kOverflow, true),
      same(R"({"N":"-1e-131"})", kUnderflow, true),
      same(R"({"N":")" + std::string(39, '1') + R"("})",
           "Attempting to store more than 38 significant digits in a Number", true),
      {R"({"N":"1e2147483648"})", kNotNumeric + ": 1e2147483648", kOverflow, true},
      {R"({"N":"1e-2147483648"})", kNotNumeric + ": 1e-2147483648", kUnderflow, true},
      same(R"({"S":"a","N":"1"})", kSeveralTypes, false),
      same(R"({"S":"a","B":"AA=="})", kSeveralTypes, false),
      same(R"({"L":[],"M":{}})", kSeveralTypes, false),
      same(R"({"BOOL":true,"NULL":true})", kSeveralTypes, false),
      same(R"({"M":{"":{"S":"a"}}})", "Empty attribute name", false),
  };
  check_rows(rows);
}

TEST_CASE("attribute_value: shows duplicates in the order of either wording", "[protocol]") {
  const std::string shown = kInvalid + "Input collection ";
  const ErrorRow rows[] = {
      {R"({"SS":["x","x"]})", shown + "[x, x] contains duplicates.",
       shown + R"(["x", "x"] contains duplicates.)", true},
      {R"({"SS":["b","a","b"]})", shown + "[b, a, b] contains duplicates.",
       shown + R"(["a", "b", "b"] contains duplicates.)", true},
      {R"({"SS":["z","c","a","c","z","b"]})", shown + "[z, c, a, c, z, b] contains duplicates.",
       shown + R"(["a", "c", "z", "c", "z", "b"] contains duplicates.)", true},
      {R"({"SS":["",""]})", shown + "[, ] contains duplicates.",
       shown + R"(["", ""] contains duplicates.)", true},
      {R"({"BS":["/w==","AA==","AA=="]})",
       shown + "[/w==, AA==, AA==]of type BS contains duplicates.",
       shown + R"(["AA==","/w==","AA=="]of type BS contains duplicates.)", true},
      {R"({"NS":["1","1.0"]})", "Input collection contains duplicates",
       kInvalid + "Input collection contains duplicates.", true},
      {R"({"NS":["7","3","7"]})", "Input collection contains duplicates",
       kInvalid + "Input collection contains duplicates.", true},
      {R"({"NS":["0","-0"]})", "Input collection contains duplicates",
       kInvalid + "Input collection contains duplicates.", true},
  };
  check_rows(rows);
}

TEST_CASE("attribute_value: checks what is present before counting it", "[protocol]") {
  const ErrorRow rows[] = {
      same(R"({"S":"a","N":"x"})", kNotNumeric + ": x", true),
      same(R"({"N":"x","NULL":false})", kNullTrue, true),
      same(R"({"N":"x","SS":[]})", kInvalid + "An string set  may not be empty", true),
      same(R"({"NULL":false,"SS":[]})", kNullTrue, true),
      same(R"({"NS":[],"SS":[]})", kInvalid + "An string set  may not be empty", true),
      same(R"({"BS":[],"NS":["x"]})", kInvalid + "Binary sets should not be empty", true),
      same(R"({"NS":["y"],"N":"x"})", kNotNumeric + ": x", true),
      same(R"({"SS":["a","a"],"NS":["y"]})", kNotNumeric + ": y", true),
      {R"({"SS":["a","a"],"S":"b"})", kInvalid + "Input collection [a, a] contains duplicates.",
       kInvalid + R"(Input collection ["a", "a"] contains duplicates.)", true},
      // Elements come last, so wrong ones are not seen beside another member.
      same(R"({"L":[{"N":"x"}],"S":"a"})", kSeveralTypes, false),
  };
  check_rows(rows);
}

TEST_CASE("attribute_value: accepts what only keys must not hold", "[protocol]") {
  for (const char* json :
       {R"({"S":""})", R"({"B":""})", R"({"SS":[""]})", R"({"BS":[""]})", R"({"L":[]})",
        R"({"M":{}})", R"({"SS":["a","A"," a"]})", R"({"NS":["1","-1","10"]})", R"({"NULL":true})",
        R"({"N":"0.0e126"})", R"({"N":"0e125"})"}) {
    CAPTURE(json);
    CHECK(decoded(json, kEnveloped) == "ok");
    CHECK(decoded(json, kClassic) == "ok");
  }
  CHECK(decoded(R"({"N":"0e126"})", kClassic) == "ok");
  CHECK(decoded(R"({"N":"0e126"})", kBare) == kOverflow);
}

TEST_CASE("attribute_value: nests to 32 levels counting the attribute", "[protocol]") {
  for (const bool in_lists : {false, true}) {
    for (const Wording wording : {kClassic, kBare, kEnveloped}) {
      CHECK(decoded(nested(R"({"S":"x"})", 31, in_lists), wording) == "ok");
      CHECK(decoded(nested(R"({"S":"x"})", 32, in_lists), wording) == kTooDeep);
      CHECK(decoded(nested(in_lists ? R"({"L":[]})" : R"({"M":{}})", 31, in_lists), wording) ==
            "ok");
      CHECK(decoded(nested(R"({"M":{}})", 32, in_lists), wording) == kTooDeep);
      CHECK(decoded(nested(R"({"S":"x"})", 300, in_lists), wording) == kTooDeep);
    }
  }
  CHECK(decoded(R"({"L":[)" + nested(R"({"S":"x"})", 30) + "," + nested(R"({"S":"x"})", 31) + "]}",
                kBare) == kTooDeep);
  // Each attribute is measured on its own.
  const std::string deep = nested(R"({"S":"x"})", 31);
  CHECK(decoded_item(R"({"a":)" + deep + R"(,"b":)" + deep + "}", kBare) ==
        R"({"a":)" + deep + R"(,"b":)" + deep + "}");
  CHECK(decoded_item(R"({"a":)" + nested(deep, 1) + R"(,"b":{"N":"x"}})", kBare) == kTooDeep);
}

TEST_CASE("attribute_value: reports wrong elements before the depth", "[protocol]") {
  CHECK(decoded(nested(R"({"N":"x"})", 40), kEnveloped) == kOneError + kNotNumeric + ": x");
  CHECK(decoded(nested(R"({"N":"x"})", 61), kEnveloped) == kOneError + kNotNumeric + ": x");
  // Deeper still, the enveloped layer falls back to the classic form.
  CHECK(decoded(nested(R"({"N":"x"})", 62), kEnveloped) == kNotNumeric + ": x");
  CHECK(decoded(nested(R"({"N":""})", 62), kEnveloped) == kNotNumeric);
  CHECK(decoded(nested(R"({"N":""})", 62), kBare) == kNotNumeric + ": ");
}

TEST_CASE("attribute_value: sorts an item by name and keeps the last of equal names",
          "[protocol]") {
  struct Row {
    const char* json;
    const char* item;
  };
  const Row rows[] = {
      {R"({"b":{"S":"1"},"a":{"S":"2"},"c":{"S":"3"}})",
       R"({"a":{"S":"2"},"b":{"S":"1"},"c":{"S":"3"}})"},
      {R"({"a":{"S":"1"},"a":{"S":"2"}})", R"({"a":{"S":"2"}})"},
      {R"({"b":{"S":"1"},"a":{"S":"2"},"b":{"S":"3"},"a":{"S":"4"},"b":{"S":"5"}})",
       R"({"a":{"S":"4"},"b":{"S":"5"}})"},
      {R"({"m":{"M":{"y":{"S":"1"},"x":{"S":"2"},"y":{"S":"3"}}}})",
       R"({"m":{"M":{"x":{"S":"2"},"y":{"S":"3"}}}})"},
      // A value that is replaced is not looked at.
      {R"({"a":{"N":"x"},"a":{"N":"1"}})", R"({"a":{"N":"1"}})"},
      {R"({"a":{"N":"1"},"b":{},"b":{"S":""}})", R"({"a":{"N":"1"},"b":{"S":""}})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.json);
    CHECK(decoded_item(row.json, kEnveloped) == row.item);
  }
  CHECK(decoded_item(R"({"a":{"N":"1"},"a":{"N":"x"}})", kBare) == kNotNumeric + ": x");
  CHECK(decoded_item(R"({"b":{"N":"x"},"a":{"N":"y"}})", kBare) == kNotNumeric + ": x");
  CHECK(decoded_item(R"({"":{"N":"x"}})", kEnveloped) == "Empty attribute name");
}

TEST_CASE("attribute_value: decodes every type to its bytes", "[protocol]") {
  std::string json =
      R"({"M":{"s":{"S":"x"},"n":{"N":"1"},"b":{"B":"AQI="},"ns":{"NS":["10","9"]},"l":{"L":[{"BOOL":"no"}]}}})";
  Arena arena;
  const auto node = read_json(json, arena);
  REQUIRE(node);
  const auto value = decode_value(*node, kEnveloped, arena);
  REQUIRE(value);
  REQUIRE(value->type() == Type::M);
  const Item item = value->members();
  CHECK(find_attribute(item, "s")->bytes() == "x");
  CHECK(find_attribute(item, "n")->bytes() == "\xC1\x02");
  CHECK(find_attribute(item, "b")->bytes() == "\x01\x02");
  const auto numbers = find_attribute(item, "ns")->set_elements();
  REQUIRE(numbers.size() == 2);
  CHECK(numbers[0] == "\xC1\x0A");
  CHECK(numbers[1] == "\xC1\x0B");
  CHECK_FALSE(find_attribute(item, "l")->elements()[0].truth());
}

}  // namespace
}  // namespace stator

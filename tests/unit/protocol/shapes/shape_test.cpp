#include "protocol/shapes/shape.h"

#include <array>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/shapes/shape_text.h"

using namespace stator;

namespace {

constexpr std::array<std::string_view, 2> kColours{"RED", "BLUE"};
constexpr TypeSpec kColour{
    .kind = TypeSpec::Kind::String, .values = kColours, .enveloped_enum_text = "no such colour"};
constexpr TypeSpec kName{.kind = TypeSpec::Kind::String, .min = 3, .max = 5, .name_pattern = true};
constexpr TypeSpec kTable{.kind = TypeSpec::Kind::String,
                          .min = 1,
                          .max = 5,
                          .name_pattern = true,
                          .table_arn_too = true};
constexpr TypeSpec kCount{.kind = TypeSpec::Kind::Integer, .min = 1, .max = 9};
constexpr std::array kPartFields{FieldSpec{"Name", &kName, true}, FieldSpec{"Count", &kCount}};
constexpr TypeSpec kPart{.kind = TypeSpec::Kind::Structure, .name = "Part", .fields = kPartFields};
constexpr TypeSpec kParts{.kind = TypeSpec::Kind::List, .element = &kPart, .min = 1, .max = 2};
constexpr TypeSpec kNames{.kind = TypeSpec::Kind::List, .element = &kStringType};
constexpr TypeSpec kItems{.kind = TypeSpec::Kind::Map, .element = &kAttributeValueType};
constexpr TypeSpec kPartMap{.kind = TypeSpec::Kind::Map, .element = &kPart};
constexpr TypeSpec kListMap{.kind = TypeSpec::Kind::Map, .element = &kParts};
constexpr std::array kFields{
    FieldSpec{"Colour", &kColour},
    FieldSpec{"TableName", &kTable, true},
    FieldSpec{"Parts", &kParts},
    FieldSpec{"PartMap", &kPartMap},
    FieldSpec{"ListMap", &kListMap},
    FieldSpec{"Flag", &kBooleanType},
    FieldSpec{"Long", &kLongType},
    FieldSpec{"Double", &kDoubleType},
    FieldSpec{"Time", &kTimestampType},
    FieldSpec{"Names", &kNames},
    FieldSpec{"Value", &kAttributeValueType},
    FieldSpec{"Items", &kItems},
    FieldSpec{"Part", &kPart},
};
constexpr TypeSpec kShape{.kind = TypeSpec::Kind::Structure, .name = "Input", .fields = kFields};

std::string types(std::string body) {
  Arena arena;
  const auto root = read_json(body, arena);
  REQUIRE(root);
  const auto result = check_types(*root, kShape);
  return result ? "" : result.error().message();
}

std::string constraints(std::string body, Profile profile = Profile::Classic,
                        Layer layer = Layer::Classic) {
  Arena arena;
  const auto root = read_json(body, arena);
  REQUIRE(root);
  REQUIRE(check_types(*root, kShape));
  const auto result = check_constraints(*root, kShape, Wording::of(profile, layer));
  return result ? "" : result.error().message();
}

}  // namespace

TEST_CASE("shape: JSON types that do not fit", "[protocol]") {
  struct Row {
    const char* body;
    const char* text;
  };
  const Row rows[] = {
      {R"({"TableName":"a","Unknown":[1]})", ""},
      {R"({"TableName":null})", ""},
      {R"({"TableName":1})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"TableName":1.5})", "DECIMAL_VALUE cannot be converted to String"},
      {R"({"TableName":true})", "TRUE_VALUE cannot be converted to String"},
      {R"({"TableName":[]})", "Unrecognized collection type class java.lang.String"},
      {R"({"TableName":{}})", "Start of structure or map found where not expected"},
      {R"({"Long":"1"})", "STRING_VALUE cannot be converted to Long"},
      {R"({"Double":"1"})", "STRING_VALUE cannot be converted to Double"},
      {R"({"Double":1.5,"Time":1.5})", ""},
      {R"({"Time":"1"})", "STRING_VALUE can not be converted to milliseconds since epoch"},
      {R"({"Time":[]})", "Unrecognized collection type class java.util.Date"},
      {R"({"Long":1.9})", ""},
      {R"({"Flag":"YES"})", ""},
      {R"({"Flag":"maybe"})", "Unexpected token received from parser"},
      {R"({"Flag":1})", "NUMBER_VALUE cannot be converted to Boolean"},
      {R"({"Parts":1})", "Unexpected field type"},
      {R"({"Parts":{}})", "Start of structure or map found where not expected"},
      {R"({"Parts":["x"]})", "Unexpected value type in payload"},
      {R"({"Parts":[[]]})",
       "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Part"},
      {R"({"Part":"x"})", "Unexpected field type"},
      {R"({"PartMap":[]})",
       "Unrecognized collection type java.util.Map<java.lang.String, "
       "com.amazonaws.dynamodb.v20120810.Part>"},
      {R"({"PartMap":"x"})", "Unexpected field type"},
      {R"({"ListMap":{"a":{}}})", "Start of structure or map found where not expected"},
      {R"({"Names":[1]})", "NUMBER_VALUE cannot be converted to String"},
      {R"({"Value":"x"})", "Unexpected field type"},
      {R"({"Items":{"a":"x"}})", "Unexpected value type in payload"},
      // The first in the order of the text.
      {R"({"Names":"x","TableName":1})", "Unexpected field type"},
  };
  for (const Row& row : rows) {
    INFO(row.body);
    CHECK(types(row.body) == row.text);
  }
  CHECK(types(R"({"ListMap":{"a":1}})").starts_with("class sun.reflect.generics"));
}

TEST_CASE("shape: all violations are collected, at most ten", "[protocol]") {
  CHECK(constraints(R"({"TableName":"abc"})").empty());
  CHECK(constraints("{}") ==
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: "
        "Member must not be null");
  CHECK(constraints(R"({"TableName":"a b","Colour":"PINK"})") ==
        "2 validation errors detected: Value 'PINK' at 'colour' failed to satisfy constraint: "
        "Member must satisfy enum value "
        "set: [RED, BLUE]; Value 'a b' at 'tableName' failed to satisfy constraint: Member must "
        "satisfy regular expression "
        "pattern: [a-zA-Z0-9_.-]+");
  CHECK(constraints(R"({"TableName":"abc","Parts":[{"Count":0},{"Name":"a;","Count":12}]})") ==
        "5 validation errors detected: Value null at 'parts.1.member.name' failed to satisfy "
        "constraint: Member must not be "
        "null; Value '0' at 'parts.1.member.count' failed to satisfy constraint: Member must have "
        "value greater than or equal "
        "to 1; Value 'a;' at 'parts.2.member.name' failed to satisfy constraint: Member must "
        "satisfy regular expression "
        "pattern: [a-zA-Z0-9_.-]+; Value 'a;' at 'parts.2.member.name' failed to satisfy "
        "constraint: Member must have length "
        "greater than or equal to 3; Value '12' at 'parts.2.member.count' failed to satisfy "
        "constraint: Member must have value "
        "less than or equal to 9");
  CHECK(constraints(R"({"TableName":"abc","Parts":[]})") ==
        "1 validation error detected: Value '[]' at 'parts' failed to satisfy constraint: Member "
        "must have length greater than "
        "or equal to 1");
  CHECK(
      constraints(
          R"({"TableName":"abc","Parts":[{"Name":"abc"},{"Name":"abc"},{"Name":"abc","Count":1}]})") ==
      "1 validation error detected: Value '[Part(name=abc, count=null), Part(name=abc, "
      "count=null), Part(name=abc, count=1)]' "
      "at 'parts' failed to satisfy constraint: Member must have length less than or equal to 2");
  CHECK(constraints(R"({"TableName":"abc","PartMap":{"k":{}}})") ==
        "1 validation error detected: Value null at 'partMap.k.member.name' failed to satisfy "
        "constraint: Member must not be "
        "null");
  std::string map;
  for (int i = 0; i < 20; ++i) map += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":{}";
  CHECK(constraints(R"({"TableName":"abc","PartMap":{)" + map + "}}")
            .starts_with("10 validation errors detected: "));
}

TEST_CASE("shape: long values are shown, very long ones in part", "[protocol]") {
  std::string parts;
  std::string printed;
  for (int i = 0; i < 500; ++i) {
    parts.append(i == 0 ? "" : ",").append(R"({"Name":"abc"})");
    printed.append(i == 0 ? "" : ", ").append("Part(name=abc, count=null)");
  }
  const std::string long_name(5000, 'x');
  const std::string shown = "{=[" + printed + "], " + long_name + "=[]}";
  const std::string text =
      constraints(R"({"TableName":"a","Items":{},"ListMap":{"":[)" + parts + R"(],")" + long_name +
                  R"(":[]},"PartMap":{"":{"Name":")" + long_name + R"("}}})");
  CHECK(text ==
        "2 validation errors detected: Value '" + long_name +
            "' at 'partMap..member.name' failed to satisfy constraint: Member must have length "
            "less than or equal to 5; Value '" +
            shown +
            "' at 'listMap' failed to satisfy constraint: Map value must satisfy constraint: "
            "[Member must have length less than or equal to 2, Member must have length greater "
            "than or equal to 1]");

  // In whole characters, of which the limit is no multiple.
  const auto euros = [](std::size_t count) {
    std::string name;
    for (std::size_t i = 0; i < count; ++i) name += "\u20AC";
    return name;
  };
  CHECK(constraints(R"({"TableName":")" + euros(100'000) + R"("})") ==
        "1 validation error detected: Value '" + euros(kShownBytesMax / 3) +
            "' at 'tableName' failed to satisfy constraint: Member must have length less than or "
            "equal to 5");
  // However often and wherever they come.
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += i == 0 ? "{}" : ",{}";
  const std::string key(500'000, 'k');
  const std::string all = constraints(R"({"TableName":"abc","Parts":[)" + many +
                                      R"(],"ListMap":{")" + key + R"(":[)" + many + "]}}");
  CHECK(all.starts_with("10 validation errors detected: Value '[Part(name=null, count=null), "));
  CHECK(all.size() < 20 * kShownBytesMax);
}

TEST_CASE("shape: the new layer's wording", "[protocol]") {
  const auto enveloped = [](std::string body) {
    return constraints(std::move(body), Profile::Current, Layer::Enveloped);
  };
  CHECK(enveloped(R"({"TableName":"","Colour":"PINK"})") ==
        "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member "
        "must have length greater than "
        "or equal to 1");
  CHECK(enveloped(R"({"TableName":"abc","Colour":"PINK"})") ==
        "1 validation error detected: no such colour");
  CHECK(enveloped(R"({"TableName":"toolong"})") ==
        "1 validation error detected: Value 'toolong' at 'tableName' failed to satisfy constraint: "
        "Member must have length less "
        "than or equal to 5");
  CHECK(constraints(R"({"TableName":"abc","Colour":"PINK"})", Profile::Current, Layer::Bare) ==
        "1 validation error detected: no such colour");
  CHECK(constraints(R"({"TableName":"abc","Colour":"PINK"})").find("[RED, BLUE]") !=
        std::string::npos);
  CHECK(constraints(R"({"TableName":""})") ==
        "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member "
        "must have length greater "
        "than or equal to 1");
}

TEST_CASE("shape: members are read leniently, as the service does", "[protocol]") {
  Arena arena;
  std::string body =
      R"({"i":12,"d":1.9,"neg":-1.9,"big":99999999999999999999,"t":"Yes","f":"0","s":"a","s":null,"s":"b"})";
  const auto root = read_json(body, arena);
  REQUIRE(root);
  CHECK(integer_member(*root, "i") == 12);
  CHECK(integer_member(*root, "d") == 1);
  CHECK(integer_member(*root, "neg") == -1);
  CHECK(integer_member(*root, "big") == std::numeric_limits<std::int64_t>::max());
  CHECK(boolean_member(*root, "t") == true);
  CHECK(boolean_member(*root, "f") == false);
  CHECK(string_member(*root, "s") == "b");
  CHECK_FALSE(integer_member(*root, "absent"));
}

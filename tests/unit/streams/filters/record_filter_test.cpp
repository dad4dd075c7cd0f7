// Filters: every operator, what is refused, lists, and cases recorded at the service.
#include "streams/filters/record_filter.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace stator {
namespace {

using Catch::Contains;

bool does_match(const std::string& pattern, std::string record) {
  const auto filter = compile_filter(pattern);
  INFO(pattern << " " << record);
  REQUIRE(filter);
  Arena arena;
  const auto json = read_json(record, arena);
  REQUIRE(json);
  const bool matches = filter->matches(*json);
  // Both say the same.
  CHECK(filter->explain(*json).has_value() == !matches);
  return matches;
}

// The leaf `test` on a field v whose value is `value`; no field if it is empty.
bool passes_leaf(const std::string& test, const std::string& value) {
  const std::string record = value.empty() ? "{}" : "{\"v\":" + value + "}";
  return does_match(R"({"v":[)" + test + "]}", record);
}

struct LeafCase {
  const char* test;
  std::vector<const char*> passing;
  std::vector<const char*> failing;
};

const std::vector<LeafCase> kLeafCases = {
    {R"("A")", {R"("A")", R"(["B","A"])"}, {R"("a")", R"("AB")", "1", "null", R"({"A":1})", ""}},
    {R"("")", {R"("")"}, {R"(" ")", "null", ""}},
    {R"("é")", {R"("é")", R"("\u00e9")"}, {R"("e\u0301")", R"("É")"}},
    {"12", {"12", "12.0", "1.2e1"}, {"13", R"("12")", "true", ""}},
    {"1.5", {"1.5", "15e-1"}, {"1.51"}},
    {"true", {"true"}, {"false", R"("true")", "1"}},
    {"false", {"false"}, {"true", "null"}},
    {"null", {"null"}, {R"("null")", "0", ""}},
    {R"({"prefix":"us-"})", {R"("us-1")", R"("us-")"}, {R"("US-1")", R"("aus-1")", "1", ""}},
    {R"({"prefix":""})", {R"("")", R"("x")"}, {"1"}},
    {R"({"suffix":".png"})", {R"("a.png")", R"(".png")"}, {R"("a.PNG")", R"("png")", ""}},
    {R"({"prefix":{"equals-ignore-case":"Us-"}})", {R"("uS-1")"}, {R"("u")", R"("as-")"}},
    {R"({"suffix":{"equals-ignore-case":".PNG"}})", {R"("a.pNg")"}, {R"("png")", R"("a.pngx")"}},
    {R"({"equals-ignore-case":"aBc"})", {R"("AbC")", R"("abc")"}, {R"("abcd")", R"("ab")", "1"}},
    {R"({"wildcard":"a*b"})", {R"("ab")", R"("axxb")", R"("abab")"}, {R"("a")", R"("abc")"}},
    {R"({"wildcard":"*a*b*"})", {R"("xaybz")", R"("ab")"}, {R"("ba")"}},
    {R"({"wildcard":"a\\*b\\\\*"})", {R"("a*b\\c")"}, {R"("axb\\c")", R"("a*b")"}},
    {R"({"wildcard":""})", {R"("")"}, {R"("a")"}},
    {R"({"anything-but":"A"})", {R"("B")", "1", "null"}, {R"("A")", ""}},
    {R"({"anything-but":5})", {"6", R"("5")"}, {"5", "5.0", ""}},
    {R"({"anything-but":["A","B"]})", {R"("C")", R"(["A","C"])"}, {R"("A")", R"("B")", "[]"}},
    {R"({"anything-but":[1,2]})", {"3"}, {"1", "2"}},
    {R"({"anything-but":{"prefix":"a"}})", {R"("ba")"}, {R"("ab")", ""}},
    {R"({"anything-but":{"suffix":["a","b"]}})", {R"("ac")"}, {R"("xa")", R"("xb")"}},
    {R"({"anything-but":{"equals-ignore-case":["a","B"]}})", {R"("c")"}, {R"("A")", R"("b")"}},
    {R"({"anything-but":{"wildcard":"a*z"}})", {R"("ab")"}, {R"("abz")"}},
    {R"({"numeric":["=",100]})", {"100", "1e2", "100.00"}, {"100.1", R"("100")", ""}},
    {R"({"numeric":["<",0]})", {"-0.5", "-1e10"}, {"0", "1"}},
    {R"({"numeric":["<=",0]})", {"0", "-0", "-1"}, {"0.001"}},
    {R"({"numeric":[">",100]})", {"100.5", "101"}, {"100", "99", R"("101")"}},
    {R"({"numeric":[">=",100]})", {"100"}, {"99.9"}},
    {R"({"numeric":[">",0,"<=",5]})", {"1", "5"}, {"0", "5.1", "-1"}},
    {R"({"numeric":[">=",-2,"<",2]})", {"-2", "0"}, {"2", "-2.1"}},
    {R"({"exists":true})", {"null", R"("")", "0", "[1]"}, {R"({"S":"x"})", "[]", ""}},
    {R"({"exists":false})", {"", R"({"S":"x"})", "[]"}, {"null", R"("")", "[1]"}},
    {R"({"cidr":"10.0.0.0/24"})", {R"("10.0.0.255")"}, {R"("10.0.1.0")", R"("::1")", R"("x")"}},
    {R"({"cidr":"10.0.0.0/0"})", {R"("255.1.2.3")"}, {R"("10.0.0")", R"("10.0.0.0 ")"}},
    {R"({"cidr":"2001:db8::/33"})", {R"("2001:db8:7fff::1")"}, {R"("2001:db8:8000::1")"}},
    {R"("a",{"prefix":"b"},{"exists":false})", {R"("a")", R"("bc")", ""}, {R"("c")"}},
};

TEST_CASE("filters: leaves", "[filters]") {
  for (const LeafCase& one : kLeafCases) {
    for (const char* const value : one.passing) {
      INFO(one.test << " and " << value);
      CHECK(passes_leaf(one.test, value));
    }
    for (const char* const value : one.failing) {
      INFO(one.test << " and " << value);
      CHECK_FALSE(passes_leaf(one.test, value));
    }
  }
}

struct RecordCase {
  const char* pattern;
  const char* record;
  bool matches;
};

const std::vector<RecordCase> kRecordCases = {
    // Recorded at the service.
    {R"({"eventName":["INSERT"]})", R"({"eventName":"INSERT"})", true},
    {R"({"eventName":["INSERT"]})", R"({"eventName":"MODIFY"})", false},
    {R"({"eventName":["INSERT","MODIFY"]})", R"({"eventName":"MODIFY"})", true},
    {R"({"eventName":["INSERT"],"eventSource":["aws:dynamodb"]})",
     R"({"eventName":"INSERT","eventSource":"aws:dynamodb"})", true},
    {R"({"eventName":["INSERT"],"eventSource":["aws:dynamodb"]})",
     R"({"eventName":"MODIFY","eventSource":"aws:dynamodb"})", false},
    {R"({"dynamodb":{"NewImage":{"k":{"S":["v"]}}}})",
     R"({"dynamodb":{"NewImage":{"k":{"S":"v"}}}})", true},
    {R"({"dynamodb":{"NewImage":{"k":{"S":["v"]}}}})", R"({"dynamodb":{"NewImage":{}}})", false},
    {R"({"dynamodb":{"NewImage":{"k":["v"]}}})", R"({"dynamodb":{"NewImage":{"k":{"S":"v"}}}})",
     false},
    {R"({"dynamodb":{"NewImage":{"k":{"S":[{"exists":true}]}}}})",
     R"({"dynamodb":{"NewImage":{"k":{"S":"v"}}}})", true},
    {R"({"dynamodb":{"NewImage":{"k":{"S":[{"exists":true}]}}}})",
     R"({"dynamodb":{"NewImage":{"l":{"S":"v"}}}})", false},
    {R"({"dynamodb":{"NewImage":{"k":[{"exists":false}]}}})",
     R"({"dynamodb":{"NewImage":{"l":{"S":"v"}}}})", true},
    {R"({"dynamodb":{"NewImage":{"k":[{"exists":false}]}}})",
     R"({"dynamodb":{"NewImage":{"k":{"S":"v"}}}})", true},
    {R"({"dynamodb":{"NewImage":{"n":{"N":[{"numeric":[">",100]},{"anything-but":"101"}]}}}})",
     R"({"dynamodb":{"NewImage":{"n":{"N":"42"}}}})", true},
    {R"({"dynamodb":{"NewImage":{"n":{"N":[{"numeric":[">",100]},{"anything-but":"101"}]}}}})",
     R"({"dynamodb":{"NewImage":{"n":{"N":"101"}}}})", false},
    {R"({"dynamodb":{"NewImage":{"p":{"S":[{"prefix":"us-1"}]}}}})",
     R"({"dynamodb":{"NewImage":{"p":{"S":"us-1-x"}}}})", true},
    {R"({"dynamodb":{"ApproximateCreationDateTime":[{"numeric":[">",0]}]}})",
     R"({"dynamodb":{"ApproximateCreationDateTime":1479499740.0}})", true},
    {R"({"userIdentity":{"type":["Service"],"principalId":["dynamodb.amazonaws.com"]}})",
     R"({"userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"}})", true},
    {R"({"userIdentity":{"type":["Service"]}})", R"({"eventName":"REMOVE"})", false},
    // Alternatives.
    {R"({"$or":[{"a":["1"]},{"b":["2"]}]})", R"({"b":"2"})", true},
    {R"({"$or":[{"a":["1"]},{"b":["2"]}]})", R"({"b":"1"})", false},
    {R"({"c":["3"],"$or":[{"a":["1"]},{"b":["2"]}]})", R"({"a":"1","c":"4"})", false},
    {R"({"$or":[{"a":["1"]},{"$or":[{"b":["2"]},{"c":{"d":["3"]}}]}]})", R"({"c":{"d":"3"}})",
     true},
    {R"({"$or":[{"prefix":"x"},{"suffix":"y"}]})", R"({"$or":"xa"})", true},
    {R"({"$or":["x"]})", R"({"$or":"x"})", true},
    {R"({"$or":{"a":["x"]}})", R"({"$or":{"a":"x"}})", true},
    // Lists: fields below one match in the same element.
    {R"({"SS":["red"]})", R"({"SS":["blue","red"]})", true},
    {R"({"L":{"S":["a"]}})", R"({"L":[{"N":"1"},{"S":"a"}]})", true},
    {R"({"L":{"a":["1"],"b":["2"]}})", R"({"L":[{"a":"1"},{"b":"2"}]})", false},
    {R"({"L":{"a":["1"],"b":["2"]}})", R"({"L":[{"a":"1","b":"3"},{"a":"1","b":"2"}]})", true},
    {R"({"L":{"a":["1"]}})", R"({"L":[[{"a":"1"}]]})", true},
    {R"({"L":{"b":[{"exists":false}]}})", R"({"L":[{"a":"1"},{"b":"2"}]})", false},
    {R"({"L":{"b":[{"exists":false}]}})", R"({"L":[{"a":"1"},{"a":"2"}]})", true},
    {R"({"L":{"b":[{"exists":false}]}})", R"({"L":[]})", true},
    {R"({"L":{"b":[{"exists":false}]}})", R"({"L":"x"})", true},
    // Repeated names: the last one counts, in the record and in the pattern.
    {R"({"a":["2"]})", R"({"a":"1","a":"2"})", true},
    {R"({"a":["1"],"a":["2"]})", R"({"a":"2"})", true},
    {R"({"a":["1"]})", R"(["x"])", false},
};

TEST_CASE("filters: records", "[filters]") {
  for (const RecordCase& one : kRecordCases) {
    INFO(one.pattern << " and " << one.record);
    CHECK(does_match(one.pattern, one.record) == one.matches);
  }
}

struct RefusedCase {
  const char* pattern;
  const char* path;
  const char* reason;
};

const std::vector<RefusedCase> kRefused = {
    {"single-string", "", "not JSON"},
    {R"([{"eventName": ["INSERT"=123}])", "", "not JSON"},
    {R"("text")", "", "a JSON object"},
    {R"(["a"])", "", "a JSON object"},
    {"{}", "", "has a field"},
    {R"({"a":{}})", "a", "has a field"},
    {R"({"a":[]})", "a", "not empty"},
    {R"({"a":"x"})", "a", "object or a list"},
    {R"({"a":{"b":1}})", "a.b", "object or a list"},
    {R"({"a":[["x"]]})", "a", "no list in it"},
    {R"({"a":[{}]})", "a", "exactly one operator"},
    {R"({"a":[{"prefix":"a","suffix":"b"}]})", "a", "exactly one operator"},
    {R"({"a":[{"begins":"a"}]})", "a", "no operator begins"},
    {R"({"a":[{"prefix":1}]})", "a", "operand of prefix"},
    {R"({"a":[{"prefix":["a"]}]})", "a", "operand of prefix"},
    {R"({"a":[{"suffix":{"wildcard":"a"}}]})", "a", "operand of suffix"},
    {R"({"a":[{"equals-ignore-case":{"equals-ignore-case":"a"}}]})", "a", "equals-ignore-case"},
    {R"({"a":[{"wildcard":"a**b"}]})", "a", "wildcard"},
    {R"({"a":[{"wildcard":"a\\b"}]})", "a", "wildcard"},
    {R"({"a":[{"wildcard":"a\\"}]})", "a", "wildcard"},
    {R"({"a":[{"exists":"true"}]})", "a", "operand of exists"},
    {R"({"a":[{"cidr":"10.0.0.0"}]})", "a", "operand of cidr"},
    {R"({"a":[{"cidr":"10.0.0.0/33"}]})", "a", "operand of cidr"},
    {R"({"a":[{"cidr":"::/129"}]})", "a", "operand of cidr"},
    {R"({"a":[{"cidr":"10.0.0.0/"}]})", "a", "operand of cidr"},
    {R"({"a":[{"numeric":[]}]})", "a", "operand of numeric"},
    {R"({"a":[{"numeric":[">"]}]})", "a", "operand of numeric"},
    {R"({"a":[{"numeric":5}]})", "a", "operand of numeric"},
    {R"({"a":[{"numeric":["!=",5]}]})", "a", "has the operators"},
    {R"({"a":[{"numeric":[">","5"]}]})", "a", "operand of numeric"},
    {R"({"a":[{"numeric":[">",1,"<",5,"<",6]}]})", "a", "operand of numeric"},
    {R"({"a":[{"numeric":["<",5,">",1]}]})", "a", "lower bound"},
    {R"({"a":[{"numeric":[">",5,"<",5]}]})", "a", "below the upper"},
    {R"({"a":[{"numeric":["=",5,"<",6]}]})", "a", "lower bound"},
    {R"({"a":[{"numeric":[">",1,">",5]}]})", "a", "lower bound"},
    {R"({"a":[{"anything-but":[]}]})", "a", "operand of anything-but"},
    {R"({"a":[{"anything-but":["x",1]}]})", "a", "operand of anything-but"},
    {R"({"a":[{"anything-but":null}]})", "a", "operand of anything-but"},
    {R"({"a":[{"anything-but":[true]}]})", "a", "operand of anything-but"},
    {R"({"a":[{"anything-but":{"numeric":["=",1]}}]})", "a", "operand of anything-but"},
    {R"({"a":[{"anything-but":{"prefix":""}}]})", "a", "empty prefix"},
    {R"({"a":[{"anything-but":{"prefix":[]}}]})", "a", "operand of prefix"},
    {R"({"a":[1e200]})", "a", "out of range"},
    {R"({"dynamodb":["x"]})", "dynamodb", "to be an object"},
    {R"({"$or":[{"a":["1"]},{}]})", "", "has a field"},
    {R"({"$or":[{"a":["1"]},{"prefix":"x"}]})", "$or", "no operator a"},
};

TEST_CASE("filters: what is no pattern is refused with a reason", "[filters]") {
  for (const RefusedCase& one : kRefused) {
    INFO(one.pattern);
    const auto filter = compile_filter(one.pattern);
    REQUIRE_FALSE(filter);
    CHECK(filter.error().path == one.path);
    CHECK_THAT(filter.error().reason, Contains(one.reason));
  }
}

TEST_CASE("filters: depth and length are bounded", "[filters]") {
  const auto nested = [](std::size_t levels) {
    std::string text;
    for (std::size_t i = 0; i < levels; ++i) text += R"({"a":)";
    text += R"(["x"])";
    return text + std::string(levels, '}');
  };
  CHECK(compile_filter(nested(90)));
  CHECK_FALSE(compile_filter(nested(200)));
  CHECK_FALSE(compile_filter(nested(5000)));
  CHECK_FALSE(compile_filter(R"({"a":[")" + std::string(kFilterPatternBytesMax, 'x') + R"("]})"));
}

TEST_CASE("filters: a mismatch is explained by its first field", "[filters]") {
  const auto explain = [](const char* pattern, std::string record) {
    Arena arena;
    const auto mismatch = compile_filter(pattern)->explain(*read_json(record, arena));
    REQUIRE(mismatch);
    return *mismatch;
  };
  const auto name = explain(R"({"eventName":["INSERT"]})", R"({"eventName":"REMOVE"})");
  CHECK(name.path == "eventName");
  CHECK(name.reason == R"(the pattern wants ["INSERT"], the record has "REMOVE")");
  const auto number = explain(R"({"dynamodb":{"NewImage":{"n":{"N":[{"numeric":[">",1]}]}}}})",
                              R"({"dynamodb":{"NewImage":{"n":{"N":"2"}}}})");
  CHECK(number.path == "dynamodb.NewImage.n.N");
  CHECK_THAT(number.reason, Contains("an N is a string in DynamoDB JSON"));
  const auto untyped = explain(R"({"dynamodb":{"NewImage":{"k":["v"]}}})",
                               R"({"dynamodb":{"NewImage":{"k":{"S":"v"}}}})");
  CHECK_THAT(untyped.reason, Contains("lack the type"));
  CHECK_THAT(explain(R"({"a":{"b":["x"]}})", "{}").reason, Contains("no such field"));
  CHECK(explain(R"({"$or":[{"a":["1"]},{"b":["2"]}]})", "{}").path == "$or");
  CHECK_THAT(explain(R"({"L":{"a":["1"],"b":["2"]}})", R"({"L":[{"a":"1"},{"b":"2"}]})").reason,
             Contains("no element of the list"));
}

// A list of many elements and a pattern of many absent fields: each absence is found out once.
TEST_CASE("filters: long lists take time in proportion", "[filters]") {
  std::string record = R"({"L":[)";
  for (int i = 0; i < 20'000; ++i) record += R"({"a":"1"},)";
  record += R"({"a":"2","b":"3"}]})";
  std::string pattern = R"({"L":{"a":["none"])";
  for (int i = 0; i < 100; ++i) pattern += ",\"f" + std::to_string(i) + R"(":[{"exists":false}])";
  CHECK_FALSE(does_match(pattern + "}}", record));
}

}  // namespace
}  // namespace stator

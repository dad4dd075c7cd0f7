// Conditions: each operator, and what the absence or presence of a key does to each form of it.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/protocol/access/access_fixture.h"

namespace stator::access {
namespace {

std::string conditioned(std::string_view effect, std::string_view op, std::string_view values) {
  std::string text = R"({"Effect":")";
  text.append(effect).append(R"(","Action":"*","Resource":"*","Condition":{")").append(op);
  text.append(R"(":{"k":)").append(values).append("}}}");
  return text;
}

// Whether a statement with this condition applies to requests with this context.
bool applies(std::string_view effect, std::string_view op, std::string_view values,
             const RequestContext& context) {
  Ask ask;
  ask.context = context;
  PolicySet set;
  if (effect == "Allow") return is_allowed(ask, set.identity(conditioned("Allow", op, values)));
  set.identity(R"({"Effect":"Allow","Action":"*","Resource":"*"})");
  return !is_allowed(ask, set.identity(conditioned("Deny", op, values)));
}

struct KeyState {
  std::string_view name;
  RequestContext context;
};

std::vector<KeyState> key_states() {
  const auto single = [](std::string_view value) {
    RequestContext context;
    context.set("K", value);
    return context;
  };
  const auto list = [](std::vector<std::string> values) {
    RequestContext context;
    context.set_list("K", std::move(values));
    return context;
  };
  RequestContext unknown_value;
  unknown_value.set_unknowable("k", false);
  RequestContext unknown_list;
  unknown_list.set_unknowable("k", true);
  return {{"absent", {}},
          {"[]", list({})},
          {"a", single("a")},
          {"c", single("c")},
          {"[a]", list({"a"})},
          {"[a,b]", list({"a", "b"})},
          {"[a,c]", list({"a", "c"})},
          {"[c,d]", list({"c", "d"})},
          {"?", unknown_value},
          {"[?]", unknown_list}};
}

// One letter for each of key_states(): T applies, f does not, D only if the statement denies. The
// document has the values a and b.
struct TableRow {
  std::string_view op;
  std::string_view results;
};
constexpr auto kStringTable = std::to_array<TableRow>({
    {"StringEquals", "ffTfffffff"},
    {"StringNotEquals", "TffTffffDf"},
    {"StringEqualsIfExists", "TfTfffffff"},
    {"StringNotEqualsIfExists", "TffTffffDf"},
    {"ForAllValues:StringEquals", "TTTfTTffff"},
    {"ForAllValues:StringNotEquals", "TTfTfffTDD"},
    {"ForAnyValue:StringEquals", "ffTfTTTfff"},
    {"ForAnyValue:StringNotEquals", "fffTffTTDD"},
    {"ForAllValues:StringEqualsIfExists", "TTTfTTffff"},
    {"ForAllValues:StringNotEqualsIfExists", "TTfTfffTDD"},
    {"ForAnyValue:StringEqualsIfExists", "ffTfTTTfff"},
    {"ForAnyValue:StringNotEqualsIfExists", "fffTffTTDD"},
    {"StringLike", "ffTfffffff"},
    {"StringNotLike", "TffTffffDf"},
    {"ForAnyValue:StringLike", "ffTfTTTfff"},
    {"ForAllValues:StringNotLike", "TTfTfffTDD"},
    {"StringEqualsIgnoreCase", "ffTfffffff"},
    {"stringnotequalsignorecaseIFEXISTS", "TffTffffDf"},
});

void check_row(const TableRow& row, std::string_view values) {
  const auto states = key_states();
  REQUIRE(row.results.size() == states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    INFO(row.op << " " << values << ", key " << states[i].name);
    const char result = row.results[i];
    CHECK(applies("Allow", row.op, values, states[i].context) == (result == 'T'));
    CHECK(applies("Deny", row.op, values, states[i].context) == (result != 'f'));
  }
}

struct OperatorRow {
  std::string_view op;
  std::string_view values;
  std::string_view value;  // of the request
  bool holds;
};
constexpr auto kOperators = std::to_array<OperatorRow>({
    {"StringEquals", R"("a*")", "abc", false},
    {"StringEquals", R"("a*")", "a*", true},
    {"StringEquals", R"("A")", "a", false},
    {"StringEqualsIgnoreCase", R"("ÀbC")", "àBc", true},
    {"StringEqualsIgnoreCase", R"("×")", "÷", false},
    {"StringNotEqualsIgnoreCase", R"("ABC")", "abc", false},
    {"StringLike", R"("a*c?e")", "abbbcde", true},
    {"StringLike", R"("a*c?e")", "abbbce", false},
    {"StringLike", R"("A*")", "abc", false},
    {"StringLike", R"("?")", "ü", true},
    {"StringLike", R"("ü?ü*")", "üöüx", true},
    {"StringLike", R"("?")", "", false},
    {"StringLike", R"(["x*", "*"])", "", true},
    {"StringNotLike", R"(["x*", "y*"])", "z", true},
    {"StringNotLike", R"(["x*", "y*"])", "yz", false},
    {"NumericEquals", R"("10")", "1E1", true},
    {"NumericEquals", "10.50", "10.5", true},
    {"NumericNotEquals", "[1, 2]", "2", false},
    {"NumericNotEquals", "[1, 2]", "3", true},
    {"NumericLessThan", "10", "9", true},
    {"NumericLessThan", "10", "10", false},
    {"NumericLessThanEquals", "10", "10", true},
    {"NumericGreaterThan", "-1", "-0.5", true},
    {"NumericGreaterThan", "10", "9", false},
    {"NumericGreaterThanEquals", "10", "100", true},
    {"NumericGreaterThanEquals", "10", "x", false},
    {"DateEquals", R"("2026-01-01T00:00:00Z")", "2026-01-01T01:00:00+01:00", true},
    {"DateEquals", R"("2026-01-01")", "1767225600", true},
    {"DateNotEquals", R"("2026-01-01")", "1767225600", false},
    {"DateLessThan", R"("2026-01-01T00:00:00.5Z")", "2026-01-01T00:00:00.499Z", true},
    {"DateLessThanEquals", "1767225600", "2026-01-01T00:00:00Z", true},
    {"DateGreaterThan", R"("2026-01-01T00:00:00Z")", "2026-01-01T00:00:00Z", false},
    {"DateGreaterThanEquals", R"("2024-02-29")", "2024-03-01", true},
    {"DateGreaterThan", R"("2024-02-29")", "2026-02-30", false},
    {"Bool", "true", "true", true},
    {"Bool", R"("TRUE")", "true", true},
    {"Bool", "false", "true", false},
    {"BinaryEquals", R"("AQI=")", "AQI=", true},
    {"BinaryEquals", R"("AQI=")", "AQM=", false},
    {"IpAddress", R"("203.0.113.0/24")", "203.0.113.77", true},
    {"IpAddress", R"("203.0.113.0/25")", "203.0.113.128", false},
    {"IpAddress", R"("203.0.113.7")", "203.0.113.7", true},
    {"IpAddress", R"("0.0.0.0/0")", "::1", false},
    {"IpAddress", R"("2001:db8::/33")", "2001:db8:7fff::1", true},
    {"IpAddress", R"("2001:db8::/33")", "2001:db8:8000::1", false},
    {"NotIpAddress", R"(["10.0.0.0/8", "127.0.0.1"])", "127.0.0.1", false},
    {"NotIpAddress", R"(["10.0.0.0/8", "127.0.0.1"])", "192.168.0.1", true},
    {"ArnEquals", R"("arn:aws:iam::1:user/*")", "arn:aws:iam::1:user/a/b", true},
    {"ArnLike", R"("arn:aws:*:1:user/a")", "arn:aws:iam::1:user/a", false},
    {"ArnLike", R"("arn:aws:*:*:?:user/a")", "arn:aws:iam::1:user/a", true},
    {"ArnLike", R"("*")", "arn:aws:iam::1:user/a", false},
    {"ArnLike", R"("arn:*:*:*:*:*")", "no ARN", false},
    {"ArnNotEquals", R"("arn:aws:iam::1:user/a")", "arn:aws:iam::1:user/b", true},
    {"ArnNotLike", R"("arn:aws:iam::*:user/b")", "arn:aws:iam::1:user/b", false},
});

}  // namespace

TEST_CASE("access: how operators treat absent, single and listed keys", "[protocol]") {
  for (const TableRow& row : kStringTable) check_row(row, R"(["a","b"])");
  check_row({"Null", "Tfffffffff"}, "true");
  check_row({"Null", "fTTTTTTTTT"}, R"("False")");
  check_row({"Null", "TTTTTTTTTT"}, R"(["true","false"])");
}

TEST_CASE("access: operators compare values", "[protocol]") {
  for (const OperatorRow& row : kOperators) {
    INFO(row.op << " " << row.values << ", the request has " << row.value);
    RequestContext context;
    context.set("k", row.value);
    CHECK(applies("Allow", row.op, row.values, context) == row.holds);
    CHECK(applies("Deny", row.op, row.values, context) == row.holds);
  }
}

TEST_CASE("access: a value that cannot be compared never allows", "[protocol]") {
  RequestContext context;
  context.set("k", "neither");
  for (const std::string_view op : {"NumericNotEquals", "DateNotEquals"}) {
    CHECK(!applies("Allow", op, "1", context));
    CHECK(applies("Deny", op, "1", context));
  }
  CHECK(!applies("Allow", "NotIpAddress", R"("10.0.0.0/8")", context));
  CHECK(applies("Deny", "ArnNotLike", R"("arn:aws:iam::1:user/b")", context));
}

TEST_CASE("access: all operators and keys of a statement must hold", "[protocol]") {
  const std::string_view statement =
      R"({"Effect":"Allow","Action":"*","Resource":"*","Condition":{
      "StringEquals":{"a":"1","b":["2","3"]},"Null":{"c":"true"}}})";
  const auto result = [&](std::initializer_list<std::string_view> keys) {
    Ask ask;
    for (const std::string_view key : keys) ask.context.set(key.substr(0, 1), key.substr(1));
    return is_allowed(ask, PolicySet().identity(statement));
  };
  CHECK(result({"a1", "b2"}));
  CHECK(result({"a1", "b3"}));
  CHECK(!result({"a1"}));
  CHECK(!result({"a2", "b2"}));
  CHECK(!result({"a1", "b3", "c0"}));
}

}  // namespace stator::access

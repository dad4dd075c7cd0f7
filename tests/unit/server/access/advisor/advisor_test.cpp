#include "server/access/advisor/advisor.h"

#include <catch2/catch.hpp>

#include "protocol/json/json_writer.h"

namespace stator::access {
namespace {

constexpr std::string_view kTable = "arn:aws:dynamodb:us-east-1:000000000000:table/App";

Identity principal(const std::string& name, Tags tags = {}) {
  Identity identity;
  identity.principal.arn = "arn:aws:iam::000000000000:user/" + name;
  identity.principal.account = "000000000000";
  identity.principal_arn = identity.principal.arn;
  identity.name = name;
  identity.tags = std::move(tags);
  return identity;
}

std::optional<TenantPattern> pattern_after(const std::vector<std::string>& rests, int calls = 10) {
  Tenancy tenancy;
  for (const std::string tenant : {"t1", "t2"}) {
    for (int i = 0; i < calls; ++i) {
      for (const std::string& rest : rests) {
        const std::string key = tenant + rest;
        tenancy.note(principal("u" + tenant, {{"tenant", tenant}}), "dynamodb:GetItem", {&key, 1});
      }
    }
  }
  return tenancy.pattern();
}

TEST_CASE("tenancy: keys that begin with a tag of their user", "[server]") {
  const auto like = pattern_after({"#a", "#b"});
  REQUIRE(like);
  CHECK_FALSE(like->is_equal);
  CHECK(like->pattern == "${aws:PrincipalTag/tenant}#*");
  const auto equal = pattern_after({""});
  REQUIRE(equal);
  CHECK(equal->is_equal);
  CHECK(equal->pattern == "${aws:PrincipalTag/tenant}");
  CHECK_FALSE(pattern_after({"#a"}, 9));   // too few calls
  CHECK_FALSE(pattern_after({"a", "b"}));  // no separator
  CHECK_FALSE(pattern_after({"", "#a"}));  // both forms
}

TEST_CASE("tenancy: a foreign key or a scan prevents the pattern", "[server]") {
  for (const bool is_scan : {false, true}) {
    Tenancy tenancy;
    const std::string key = "t1#a";
    for (int i = 0; i < 30; ++i)
      tenancy.note(principal("one", {{"tenant", "t1"}}), "dynamodb:GetItem", {&key, 1});
    const Identity other = principal("two", {{"tenant", "t2"}});
    if (is_scan) tenancy.note_without_keys(other, "dynamodb:Scan");
    if (!is_scan) tenancy.note(other, "dynamodb:GetItem", {&key, 1});
    CHECK_FALSE(tenancy.pattern());
    REQUIRE(tenancy.obstacles().size() == 1);
    CHECK(tenancy.obstacles().begin()->ends_with(" by arn:aws:iam::000000000000:user/two"));
  }
}

TEST_CASE("advisor: one statement for resources that need the same actions", "[server]") {
  Advisor advisor;
  const Identity dev = principal("dev");
  const std::string other = std::string(kTable) + "2";
  for (const std::string& resource : {std::string(kTable), other}) {
    CHECK_FALSE(advisor.note(dev, "dynamodb:PutItem", resource, {}, true, Timestamp{0}));
    CHECK(advisor.note(dev, "dynamodb:GetItem", resource, {}, false, Timestamp{1'000'000}));
    CHECK_FALSE(advisor.note(dev, "dynamodb:GetItem", resource, {}, false, Timestamp{2'000'000}));
  }
  const std::string report = advisor.report({});
  CHECK(report.find(R"("policy":{"Version":"2012-10-17","Statement":[{"Effect":"Allow",)"
                    R"("Action":["dynamodb:GetItem","dynamodb:PutItem"],"Resource":[")" +
                    std::string(kTable) + R"(",")" + other + R"("]}]})") != std::string::npos);
  CHECK(report.find(R"("count":2,"denied":2,"first":"1970-01-01T00:00:01.000Z")") !=
        std::string::npos);
  Advisor::Filter denied;
  denied.only_denied = true;
  CHECK(advisor.report(denied).find("PutItem") == std::string::npos);
  Advisor::Filter none;
  none.has_resources = false;
  CHECK(advisor.report(none).find(R"("Resource":["*"])") != std::string::npos);
  advisor.reset();
  CHECK(advisor.report({}) == R"({"principals":[],"tenants":[],"merged":0})");
}

TEST_CASE("advisor: its table is bounded", "[server]") {
  Advisor advisor;
  const Identity dev = principal("dev");
  for (std::size_t i = 0; i < Advisor::kUsesMax + 3; ++i)
    advisor.note(dev, "dynamodb:GetItem", std::to_string(i), {}, true, Timestamp{});
  CHECK(advisor.report({}).ends_with(R"("merged":3})"));
}

TEST_CASE("advisor: a condition where only transactions used an action", "[server]") {
  Advisor advisor;
  const Identity dev = principal("dev");
  RequestContext enclosed;
  enclosed.set("dynamodb:EnclosingOperation", "TransactWriteItems");
  const auto use = [&](std::string_view action, const RequestContext& context, std::int64_t at_us) {
    advisor.note(dev, action, kTable, context, true, Timestamp{at_us});
  };
  for (const std::string_view action :
       {"dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"})
    use(action, enclosed, 1'000'000);
  use("dynamodb:PutItem", {}, 2'000'000);
  const auto policies = advisor.policies({});
  REQUIRE(policies.size() == 1);
  REQUIRE(policies[0].statements.size() == 2);
  CHECK(policies[0].statements[0].actions ==
        Texts{"dynamodb:ConditionCheckItem", "dynamodb:PutItem"});
  CHECK(policies[0].statements[1].actions == Texts{"dynamodb:DeleteItem"});
  CHECK(policies[0].statements[1].condition.enclosing == Texts{"TransactWriteItems"});
  Advisor::Filter late;
  late.since = Timestamp{1'500'000};
  const std::string report = advisor.report(late);
  CHECK(report.find("PutItem") != std::string::npos);
  CHECK(report.find("DeleteItem") == std::string::npos);
}

TEST_CASE("advisor: the attributes that were named, on request", "[server]") {
  Advisor advisor;
  const Identity dev = principal("dev");
  RequestContext read;
  read.set_list("dynamodb:Attributes", {"pk", "${x}"});
  read.set("dynamodb:Select", "SPECIFIC_ATTRIBUTES");
  RequestContext written;
  written.set_list("dynamodb:Attributes", {"pk", "b"});
  written.set("dynamodb:ReturnValues", "NONE");
  RequestContext unwritable;
  unwritable.set_list("dynamodb:Attributes", {"\u65e5"});
  RequestContext unknown;
  unknown.set_unknowable("dynamodb:Attributes", true);
  for (const auto& [action, context] :
       {std::pair<std::string_view, const RequestContext&>{"dynamodb:GetItem", read},
        {"dynamodb:PutItem", written},
        {"dynamodb:UpdateItem", unwritable},
        {"dynamodb:DeleteItem", written},
        {"dynamodb:DeleteItem", unknown}})
    advisor.note(dev, action, kTable, context, true, Timestamp{});
  const std::string plain = advisor.report({});
  CHECK(plain.find("Condition") == std::string::npos);
  Advisor::Filter filter;
  filter.has_attributes = true;
  const std::string listed = advisor.report(filter);
  CHECK(listed.find(R"("Action":["dynamodb:DeleteItem","dynamodb:UpdateItem"],"Resource":[")" +
                    std::string(kTable) + R"("]})") != std::string::npos);
  CHECK(listed.find(R"("Action":["dynamodb:GetItem"],"Resource":[")" + std::string(kTable) +
                    R"("],"Condition":{"ForAllValues:StringEquals":{"dynamodb:Attributes":)"
                    R"(["${$}{x}","pk"]},"StringEqualsIfExists":{"dynamodb:Select":)"
                    R"(["SPECIFIC_ATTRIBUTES"]}}})") != std::string::npos);
  CHECK(listed.find(R"({"dynamodb:Attributes":["b","pk"]},"StringEqualsIfExists":)"
                    R"({"dynamodb:ReturnValues":["NONE"]}})") != std::string::npos);
}

TEST_CASE("advisor: too many attributes are no list", "[server]") {
  Advisor advisor;
  const Identity dev = principal("dev");
  for (std::size_t i = 0; i <= Advisor::kAttributesMax; ++i) {
    RequestContext context;
    context.set_list("dynamodb:Attributes", {std::to_string(i)});
    advisor.note(dev, "dynamodb:PutItem", kTable, context, true, Timestamp{});
  }
  Advisor::Filter filter;
  filter.has_attributes = true;
  CHECK(advisor.report(filter).find("Condition") == std::string::npos);
}

TEST_CASE("advisor: all indexes of a table, on request", "[server]") {
  Advisor advisor;
  const Identity dev = principal("dev");
  const std::string table(kTable);
  for (const std::string& resource : {table, table + "/index/a", table + "/index/b"})
    advisor.note(dev, "dynamodb:Query", resource, {}, true, Timestamp{});
  Advisor::Filter filter;
  filter.has_index_names = false;
  const auto policies = advisor.policies(filter);
  REQUIRE(policies.size() == 1);
  REQUIRE(policies[0].statements.size() == 1);
  CHECK(policies[0].statements[0].resources == Texts{table, table + "/index/*"});
}

TEST_CASE("advisor: keys and attributes share a test", "[server]") {
  AdvisedCondition condition;
  condition.leading_keys = TenantPattern{true, "${aws:username}"};
  condition.attributes = {"a"};
  std::string out;
  JsonWriter json(out);
  write_condition(json, condition_lines(condition));
  CHECK(out == R"({"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["${aws:username}"],)"
               R"("dynamodb:Attributes":["a"]},"Null":{"dynamodb:LeadingKeys":"false"}})");
}

}  // namespace
}  // namespace stator::access

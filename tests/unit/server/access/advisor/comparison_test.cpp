#include "server/access/advisor/comparison.h"

#include <catch2/catch.hpp>

#include "protocol/json/json_writer.h"

namespace stator::access {
namespace {

constexpr std::string_view kTable = "arn:aws:dynamodb:us-east-1:000000000000:table/App";
constexpr std::string_view kOther = "arn:aws:dynamodb:us-east-1:000000000000:table/Other";

// The comparison of a policy's statements with uses of dev.
std::string compared(const std::string& statements, const std::vector<ComparedUse>& uses,
                     bool is_in_force = false) {
  Grant grant;
  grant.principal.arn = "arn:aws:iam::000000000000:user/dev";
  grant.principal.account = "000000000000";
  grant.context.set("aws:username", "App");
  grant.is_in_force = is_in_force;
  auto policy = compile_policy(R"({"Version":"2012-10-17","Statement":[)" + statements + "]}",
                               PolicyKind::Identity);
  REQUIRE(policy);
  grant.policies.push_back(*policy);
  std::string out;
  JsonWriter json(out);
  write_comparison(json, grant, uses);
  return out;
}

std::string statement(const std::string& actions, const std::string& resources,
                      const std::string& more = {}, const std::string& effect = "Allow") {
  return R"({"Effect":")" + effect + R"(","Action":[)" + actions + R"(],"Resource":[)" + resources +
         "]" + more + "}";
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

const ComparedUse kGet{"dynamodb:GetItem", kTable, false};
const ComparedUse kPut{"dynamodb:PutItem", kTable, true};
const std::string kGetAction = R"("dynamodb:GetItem")";
const std::string kNothing = R"({"unused":[],"not_granted":[],"only_by_wildcard":[]})";

}  // namespace

TEST_CASE("comparison: what is granted and used exactly", "[server]") {
  CHECK(compared(statement(kGetAction, quoted(kTable)), {kGet}) == kNothing);
  // Conditions do not count, and variables have the principal's values.
  CHECK(compared(statement(kGetAction, R"("arn:aws:dynamodb:*:*:table/${aws:username}")",
                           R"(,"Condition":{"StringEquals":{"dynamodb:EnclosingOperation":"x"}})"),
                 {kGet}) == kNothing);
}

TEST_CASE("comparison: elements of statements that nothing needed", "[server]") {
  const std::string scan = statement(R"("dynamodb:GetItem","dynamodb:Scan")",
                                     quoted(kTable) + "," + quoted(kOther), R"(,"Sid":"Read")");
  CHECK(compared(scan, {kGet}) ==
        R"({"unused":[{"policy":0,"statement":0,"sid":"Read","action":"dynamodb:Scan"},)"
        R"({"policy":0,"statement":0,"sid":"Read","resource":")" +
            std::string(kOther) + R"("}],"not_granted":[],"only_by_wildcard":[]})");
}

TEST_CASE("comparison: uses that nothing grants", "[server]") {
  const std::string lacks = R"({"unused":[],"not_granted":[{"action":"dynamodb:PutItem",)"
                            R"("resource":")" +
                            std::string(kTable) + R"("}],"only_by_wildcard":[]})";
  const std::string get = statement(kGetAction, quoted(kTable));
  CHECK(compared(get, {kGet, kPut}) == lacks);
  const std::string both = statement(R"("dynamodb:GetItem","dynamodb:PutItem")", R"("*")");
  CHECK(compared(both, {kGet, kPut}) == kNothing);
  CHECK(compared(both, {kGet, kPut}, /*is_in_force=*/true) == lacks);
  const std::string deny = statement(R"("dynamodb:Put*")", R"("*")", {}, "Deny");
  CHECK(compared(both + "," + deny, {kGet, kPut}) == lacks);
  const std::string sometimes =
      statement(R"("dynamodb:Put*")", R"("*")",
                R"(,"Condition":{"StringEquals":{"aws:username":"App"}})", "Deny");
  CHECK(compared(both + "," + sometimes, {kGet, kPut}) == kNothing);
}

TEST_CASE("comparison: what only a wildcard allows", "[server]") {
  CHECK(compared(statement(R"("dynamodb:*")", R"("*")"), {kGet, kPut}) ==
        R"({"unused":[],"not_granted":[],"only_by_wildcard":[{"pattern":"dynamodb:*",)"
        R"("actions":["dynamodb:GetItem","dynamodb:PutItem"]}]})");
  CHECK(compared(statement(R"("dynamodb:*","dynamodb:PutItem")", R"("*")"), {kGet, kPut}) ==
        R"({"unused":[],"not_granted":[],"only_by_wildcard":[{"pattern":"dynamodb:*",)"
        R"("actions":["dynamodb:GetItem"]}]})");
}

}  // namespace stator::access

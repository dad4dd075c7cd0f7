// Denials, explanations, and whether a decision looked at the context.
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/protocol/access/access_fixture.h"

namespace stator::access {

TEST_CASE("access: the messages of denials", "[protocol]") {
  const std::string start =
      "User: arn:aws:sts::111122223333:assumed-role/app/ci is not authorized to perform: "
      "dynamodb:Query on resource: arn:aws:dynamodb:us-east-1:111122223333:table/App/index/I ";
  Ask ask;
  ask.principal = session_of(kHome);
  ask.action = "dynamodb:Query";
  ask.resource = std::string(kTableArn).append("/index/I");
  struct Row {
    Reason reason;
    std::string_view end;
  };
  for (const Row& row : std::vector<Row>{
           {Reason::ResourceDeny, "with an explicit deny in a resource-based policy"},
           {Reason::IdentityDeny, "with an explicit deny in an identity-based policy"},
           {Reason::BoundaryDeny, "with an explicit deny in a permissions boundary"},
           {Reason::SessionDeny, "with an explicit deny in a session policy"},
           {Reason::NoIdentityAllow,
            "because no identity-based policy allows the dynamodb:Query action"},
           {Reason::NoSessionAllow, "because no session policy allows the dynamodb:Query action"},
           {Reason::NoBoundaryAllow,
            "because no permissions boundary allows the dynamodb:Query action"},
           {Reason::NoResourceAllow,
            "because no resource-based policy allows the dynamodb:Query action"},
       }) {
    CHECK(denial_text(ask.principal, ask.request(), row.reason) ==
          std::string(start).append(row.end));
  }
}

TEST_CASE("access: whether a decision depends on the context", "[protocol]") {
  const auto uses_context = [](std::string_view statements) {
    PolicySet set;
    return decide(Ask(), set.identity(statements)).is_context_used;
  };
  const std::string_view allow = R"({"Effect":"Allow","Action":"*","Resource":"*"})";
  CHECK(!uses_context(allow));
  CHECK(uses_context(
      R"({"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Null":{"a":"true"}}})"));
  CHECK(uses_context(
      R"({"Effect":"Allow","Action":"*","Resource":"arn:aws:dynamodb:*:*:table/${a}"})"));
  CHECK(!uses_context(
      R"({"Effect":"Deny","Action":"s3:*","Resource":"*","Condition":{"Null":{"a":"true"}}})"));
  CHECK(uses_context(std::string(allow).append(
      R"(,{"Effect":"Deny","Action":"*","Resource":"*","Condition":{"Null":{"a":"false"}}})")));
}

TEST_CASE("access: explanations", "[protocol]") {
  Ask ask;
  ask.context.set_list("dynamodb:LeadingKeys", {"t2#1"});
  PolicySet set;
  set.identity(
      R"({"Sid":"Other","Effect":"Allow","Action":["s3:*","dynamodb:Query"],"Resource":"*"},
      {"Sid":"Far","Effect":"Allow","Action":"*","Resource":"arn:aws:dynamodb:*:*:table/B"},
      {"Effect":"Allow","NotAction":"dynamodb:*","Resource":"*"},
      {"Sid":"Tenant","Effect":"Allow","Action":"*","Resource":"*","Condition":{
        "ForAllValues:StringLike":{"dynamodb:LeadingKeys":"${aws:PrincipalTag/tenant}#*"}}},
      {"Effect":"Allow","Action":"*","Resource":"*","Condition":{
        "StringEquals":{"dynamodb:LeadingKeys":"t2#1"}}},
      {"Effect":"Deny","Action":"*","Resource":"*","Condition":{"Bool":{"x":"true"}}})");
  set.resource(R"({"Effect":"Allow","Principal":{"AWS":"444455556666"},"Action":"*",
               "Resource":"*"})");
  set.session(R"({"Effect":"Allow","Action":"*","Resource":"*"})");
  const Explanation found = explain(ask.principal, set.policies(), ask.request());
  CHECK(found.decision.reason == Reason::NoIdentityAllow);
  REQUIRE(found.statements.size() == 8);
  const auto mismatch = [&](std::size_t i) { return found.statements.at(i).mismatch; };
  CHECK(found.statements[0].type == PolicyType::Resource);
  CHECK(mismatch(0) ==
        R"(Principal: arn:aws:iam::111122223333:user/dev is none of "444455556666")");
  CHECK(found.statements[1].sid == "Other");
  CHECK(mismatch(1) == R"(Action: dynamodb:GetItem is none of "s3:*", "dynamodb:Query")");
  CHECK(mismatch(2) == std::string("Resource: ")
                           .append(kTableArn)
                           .append(R"( is none of "arn:aws:dynamodb:*:*:table/B")"));
  CHECK(mismatch(3) == R"(NotAction: dynamodb:GetItem is one of "dynamodb:*")");
  CHECK(mismatch(4) ==
        R"(ForAllValues:StringLike dynamodb:LeadingKeys: the request has "t2#1"; the policy has )"
        R"("${aws:PrincipalTag/tenant}#*"; a variable has no value in )"
        R"("${aws:PrincipalTag/tenant}#*")");
  CHECK(mismatch(5) ==
        R"(StringEquals dynamodb:LeadingKeys: the request has "t2#1", a list, which only )"
        R"(ForAllValues and ForAnyValue compare)");
  CHECK(mismatch(6) == R"(Bool x: the request does not have the key; the policy has "true")");
  CHECK(found.statements[6].is_deny);
  CHECK(found.statements[6].statement == 5);
  CHECK(found.statements[7].applies);
  CHECK(mismatch(7).empty());
}

TEST_CASE("access: explanations are text, whatever the request has", "[protocol]") {
  Ask ask;
  std::string wide(199, 'x');
  wide.append("\u00e9\u00e9");
  ask.context.set("aws:UserAgent", "\xFF");
  ask.context.set("aws:Referer", wide);
  PolicySet set;
  set.identity(R"({"Effect":"Allow","Action":"*","Resource":"*","Condition":{
        "StringEquals":{"aws:UserAgent":"a"}}},
      {"Effect":"Allow","Action":"*","Resource":"*","Condition":{
        "StringEquals":{"aws:Referer":"a"}}})");
  const Explanation found = explain(ask.principal, set.policies(), ask.request());
  CHECK(found.statements.at(0).mismatch ==
        R"(StringEquals aws:UserAgent: the request has "?"; the policy has "a")");
  CHECK(found.statements.at(1).mismatch ==
        std::string("StringEquals aws:Referer: the request has \"") + std::string(199, 'x') +
            "\u2026\"; the policy has \"a\"");
}

}  // namespace stator::access

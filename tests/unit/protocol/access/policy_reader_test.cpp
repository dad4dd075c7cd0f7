// What is a policy and what is none, with the words for it.
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/protocol/access/access_fixture.h"

namespace stator::access {
namespace {

std::string fault_of(std::string_view text, PolicyKind kind = PolicyKind::Identity) {
  const auto policy = compile_policy(text, kind);
  if (policy) return {};
  std::string fault = policy.error().place;
  return fault.append(fault.empty() ? "" : ": ").append(policy.error().text);
}

struct FaultRow {
  std::string text;
  std::string_view fault;
};

// A statement with this in place of the member of the same name.
std::string statement_with(std::string_view member) {
  std::string text = "{";
  const std::string_view name = member.substr(0, member.find(':'));
  for (const std::string_view usual :
       {R"("Effect":"Allow")", R"("Action":"*")", R"("Resource":"*")"}) {
    if (usual.starts_with(name)) continue;
    text.append(usual).append(",");
  }
  return document(text.append(member).append("}"));
}

std::string with_condition(std::string_view condition) {
  return statement_with(std::string(R"("Condition":)").append(condition));
}

}  // namespace

TEST_CASE("access: documents that are policies", "[protocol]") {
  const std::string_view statement = R"({"Effect":"Allow","Action":"*","Resource":"*"})";
  CHECK(fault_of(document(statement)).empty());
  CHECK(fault_of(document(statement, "2008-10-17")).empty());
  CHECK(fault_of(std::string(R"({"Id":"i","Statement":)").append(statement).append("}")).empty());
  CHECK(fault_of(statement_with("\"Sid\":\"\"")).empty());
  CHECK(fault_of(with_condition("{}")).empty());
  CHECK(fault_of(with_condition(R"({"Bool":{"a":true}})")).empty());
  CHECK(fault_of(statement_with("\"Sid\":\"a1\",\n\t\r\"Id\":1")) ==
        "Statement[0].Id: is no element of a statement");
  CHECK(fault_of(with_condition("{\"StringEquals\":{\"a\":\"\xC3\xBF\"}}")).empty());
}

TEST_CASE("access: documents that are no policies", "[protocol]") {
  for (const FaultRow& row : std::vector<FaultRow>{
           {"", "byte 0: The document is no JSON"},
           {"{\"Version\":}", "byte 11: The document is no JSON"},
           {"[]", "The document must be an object"},
           {"{}", "Statement: is missing"},
           {R"({"Statement":[]})", "Statement: is empty"},
           {R"({"Statement":"x"})", "Statement[0]: must be an object"},
           {R"({"Statement":null})", "Statement: must not be null"},
           {R"({"statement":[]})", "statement: is no element of a policy"},
           {R"({"Version":"2012-10-18","Statement":[]})",
            "Version: must be 2012-10-17 or 2008-10-17"},
           {R"({"Id":"a","Id":"b","Statement":[]})", "Id: is there twice"},
           {"{\"Id\":\"\xC4\x80\"}", "byte 7: A character is not between U+0020 and U+00FF"},
           {R"({"Id":"\u0100"})",
            "An escape stands for a character beyond U+00FF or a control character"},
           {statement_with(R"("Effect":"allow")"), "Statement[0].Effect: must be Allow or Deny"},
           {statement_with(R"("Effect":1)"), "Statement[0].Effect: must be Allow or Deny"},
           {statement_with(R"("Sid":"a b")"),
            "Statement[0].Sid: must have letters and digits only"},
           {statement_with(R"("Action":[])"),
            "Statement[0].Action: must be a string or a list of strings"},
           {statement_with(R"("Action":"GetItem")"),
            "Statement[0].Action: \"GetItem\" has no prefix such as dynamodb:"},
           {statement_with(R"("NotAction":"*")"), "Statement[0].NotAction: stands next to Action"},
           {statement_with(R"("Principal":"*")"),
            "Statement[0].Principal: has no place in this kind of policy"},
           {statement_with(R"("Resource":"table/T")"),
            "Statement[0].Resource: \"table/T\" is neither an ARN nor \"*\""},
           {statement_with(R"("Resource":"arn:aws:dynamodb:*")"),
            "Statement[0].Resource: \"arn:aws:dynamodb:*\" is neither an ARN nor \"*\""},
           {statement_with(R"("Resource":"arn:aws:dynamodb:${r}:1:table/T")"),
            "Statement[0].Resource: \"arn:aws:dynamodb:${r}:1:table/T\" has a variable before the "
            "last part of the ARN"},
           {document(R"({"Effect":"Allow","Action":"*"})"), "Statement[0].Resource: is missing"},
           {document(R"({"Effect":"Allow","Resource":"*"})"), "Statement[0].Action: is missing"},
           {document(R"({"Action":"*","Resource":"*"})"), "Statement[0].Effect: is missing"},
           {with_condition("[]"), "Statement[0].Condition: must be an object"},
           {with_condition(R"({"Equals":{"a":"b"}})"),
            "Statement[0].Condition.Equals: is no operator"},
           {with_condition(R"({"NullIfExists":{"a":"true"}})"),
            "Statement[0].Condition.NullIfExists: is no operator"},
           {with_condition(R"({"ForAllValues:Null":{"a":"true"}})"),
            "Statement[0].Condition.ForAllValues:Null: is no operator"},
           {with_condition(R"({"Bool":{}})"),
            "Statement[0].Condition.Bool: must be an object with keys"},
           {with_condition(R"({"Bool":{"a":"true","a":"false"}})"),
            "Statement[0].Condition.Bool: has a key twice"},
           {with_condition(R"({"Bool":{"a":{}}})"),
            "Statement[0].Condition.Bool.a: must have strings, numbers or booleans as values"},
           {with_condition(R"({"Bool":{"a":"yes"}})"),
            "Statement[0].Condition.Bool.a: \"yes\" is not true or false"},
           {with_condition(R"({"NumericEquals":{"a":"${b}"}})"),
            "Statement[0].Condition.NumericEquals.a: \"${b}\" is not a number"},
           {with_condition(R"({"DateEquals":{"a":"today"}})"),
            "Statement[0].Condition.DateEquals.a: \"today\" is not an ISO 8601 date or seconds "
            "since 1970"},
           {with_condition(R"({"IpAddress":{"a":"10.0.0.0/33"}})"),
            "Statement[0].Condition.IpAddress.a: \"10.0.0.0/33\" is not an IP address or a CIDR "
            "block"},
           {with_condition(R"({"BinaryEquals":{"a":"A"}})"),
            "Statement[0].Condition.BinaryEquals.a: \"A\" is not Base64"},
       }) {
    INFO(row.text);
    CHECK(fault_of(row.text) == row.fault);
  }
  const std::string_view twice = R"({"Sid":"a","Effect":"Deny","Action":"*","Resource":"*"},
      {"Sid":"a","Effect":"Deny","Action":"*","Resource":"*"})";
  CHECK(fault_of(document(twice)) == "Statement[1].Sid: The Sid is that of an earlier statement");
  CHECK(fault_of(std::string(kPolicyBytesMax + 1, ' ')) ==
        "The document has more than 20480 bytes");
  CHECK(fault_of(document(R"({"Effect":[[[[[[[[[[1]]]]]]]]]]})")) ==
        "The document is nested too deep");
}

TEST_CASE("access: principals of resource and trust policies", "[protocol]") {
  const auto fault = [](std::string_view principal, PolicyKind kind) {
    std::string text = R"({"Effect":"Deny","Action":"*",)";
    if (kind == PolicyKind::Resource) text.append(R"("Resource":"*",)");
    return fault_of(document(text.append(R"("Principal":)").append(principal).append("}")), kind);
  };
  for (const PolicyKind kind : {PolicyKind::Resource, PolicyKind::Trust}) {
    CHECK(fault(R"("*")", kind).empty());
    CHECK(fault(R"({"AWS":["*","111122223333"],"Service":"a.b"})", kind).empty());
    CHECK(fault(R"("111122223333")", kind) ==
          "Statement[0].Principal: must be \"*\" or an object such as {\"AWS\": …}");
    CHECK(fault(R"({"AWS":"arn:aws:iam::*:root"})", kind) ==
          "Statement[0].Principal: \"arn:aws:iam::*:root\" is no principal");
    CHECK(fault(R"({"Aws":"*"})", kind) ==
          "Statement[0].Principal: \"Aws\" is no type of principals");
    CHECK(fault(R"({"AWS":[]})", kind) ==
          "Statement[0].Principal: \"AWS\" must have a string or a list of strings");
  }
  const std::string_view no_principal = R"({"Effect":"Deny","Action":"*","Resource":"*"})";
  CHECK(fault_of(document(no_principal), PolicyKind::Resource) ==
        "Statement[0].Principal: is missing");
  CHECK(fault_of(document(R"({"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"})"),
                 PolicyKind::Trust) ==
        "Statement[0].Resource: has no place in this kind of policy");
}

}  // namespace stator::access

// Documents of resource policies: each rule, in order, and the stored form.
#include "protocol/policy/policy_document.h"

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/service/limits.h"

using namespace stator;

namespace {

constexpr std::string_view kInvalid =
    "One or more parameter values were invalid: Invalid policy document: ";
constexpr std::string_view kUnbounded =
    "Resource-based policy grants unbounded access in one or more elements. Please revise the "
    "policy to ensure least-privilege form of access";
constexpr std::string_view kTable = "arn:aws:dynamodb:us-east-1:000000000000:table/T";

std::string result_of(std::string_view document, PolicyOwner owner = PolicyOwner::Table) {
  const auto stored = stored_policy(document, owner);
  return stored ? *stored : stored.error().message();
}

// A document of one statement.
std::string with(std::string_view statement) {
  return R"({"Version":"2012-10-17","Statement":[)" + std::string(statement) + "]}";
}
std::string denial(std::string_view action, std::string_view resource) {
  return with(R"({"Effect":"Deny","Principal":"*","Action":)" + std::string(action) +
              R"(,"Resource":)" + std::string(resource) + "}");
}
std::string grant(std::string_view principal, std::string_view more = {}) {
  return with(R"({"Effect":"Allow","Principal":)" + std::string(principal) +
              R"(,"Action":"dynamodb:GetItem","Resource":"*")" + std::string(more) + "}");
}

struct Row {
  std::string document;
  std::string result;  // the stored form, or the error behind kInvalid
};

void check(const std::vector<Row>& rows, PolicyOwner owner = PolicyOwner::Table) {
  for (const Row& row : rows) {
    INFO(row.document);
    const std::string found = result_of(row.document, owner);
    CHECK(found == (found.starts_with(kInvalid) ? std::string(kInvalid) + row.result : row.result));
  }
}

}  // namespace

TEST_CASE("policy: the stored form is the same for equal documents", "[protocol]") {
  const std::string full =
      with(R"({"Sid":"a","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},)"
           R"("Action":"dynamodb:GetItem","Resource":"*",)"
           R"("Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-1"}}})");
  check({
      {full, full},
      {" {\n\t\"Statement\" : {\"Condition\":{\"StringEquals\":{\"aws:PrincipalOrgID\":[\"o-1\"]}},"
       R"("Resource":["*"],"Action":["dynamodb:GetItem"],)"
       R"("Principal":{"AWS":["111122223333","arn:aws:iam::111122223333:root"]},)"
       R"("Effect":"allow","Sid":"\u0061"}, "Version":"2012-10-17"})",
       full},
      {denial(R"(["dynamodb:Query","dynamodb:GetItem","dynamodb:GetItem"])",
              R"(["arn:aws:dynamodb:us-east-1:000000000000:table/T/index/*","*"])"),
       denial(R"(["dynamodb:Query","dynamodb:GetItem","dynamodb:GetItem"])",
              R"(["arn:aws:dynamodb:us-east-1:000000000000:table/T/index/*","*"])")},
      {with(R"({"NotResource":"*","NotAction":"dynamodb:getitem","NotPrincipal":{"AWS":"*"},)"
            R"("Effect":"DENY","Condition":{"Bool":{"aws:SecureTransport":false},)"
            R"("NumericLessThan":{"a":[1,2.5]}}})"),
       with(R"({"Effect":"Deny","NotPrincipal":{"AWS":"*"},"NotAction":"dynamodb:getitem",)"
            R"("NotResource":"*","Condition":{"Bool":{"aws:SecureTransport":"false"},)"
            R"("NumericLessThan":{"a":["1","2.5"]}}})")},
      {R"({"Statement":[{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}],"Id":"i"})",
       R"({"Id":"i","Statement":[{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}]})"},
  });
}

TEST_CASE("policy: what is shown names a version", "[protocol]") {
  CHECK(shown_policy(R"({"Version":"2012-10-17","Statement":[]})") ==
        R"({"Version":"2012-10-17","Statement":[]})");
  CHECK(shown_policy(R"({"Statement":[]})") == R"({"Version":"2008-10-17","Statement":[]})");
}

TEST_CASE("policy: each rule has its text", "[protocol]") {
  const std::string json = "This policy contains invalid Json";
  const std::string empty = "Could not parse the policy: Statement is empty!";
  check({
      {"", json},
      {"{not json", json},
      {"[]", json},
      {"{}", empty},
      {R"({"Statement":[]})", empty},
      {R"({"Statement":null,"Other":1})", empty},
      {with(R"({"Sid":"AllowRoot12345678","Effect":"Allow","Principal":"111122223333",)"
            R"("Action":"dynamodb:GetItem","Resource":"*"})"),
       "Syntax error at position (1,94)"},
      {R"({"Statement":1})", "Syntax error at position (1,2)"},
      {"{\n  \"Version\":\n    \"2013-10-17\",\"Statement\":[{}]}",
       "Syntax error at position (3,5)"},
      {R"({"Statement":[{}],"Other":1})", "Syntax error at position (1,19)"},
      {with(R"({"Effect":"Deny","Effekt":"Deny"})"), "Syntax error at position (1,64)"},
      {with(R"({"Action":"*","NotAction":"*"})"), "Syntax error at position (1,48)"},
      {with(R"({"Resource":[]})"), "Syntax error at position (1,39)"},
      {with(R"({"Condition":{"StringEquals":"x"}})"), "Syntax error at position (1,39)"},
      {with(R"({"Principal":{"AWS":"*","AWS":"*"}})"), "Syntax error at position (1,39)"},
      {with("{}"), "Missing required field Effect"},
      {with(R"({"Effect":"Deny"})"), "Missing required field Principal"},
      {with(R"({"Effect":"Deny","Principal":"*"})"), "Missing required field Action"},
      {with(R"({"Effect":"Deny","Principal":"*","NotAction":"x"})"),
       "Missing required field Resource"},
      {with(R"({"Sid":"a","Effect":"Deny","Principal":"*","Action":"x","Resource":"*"},)"
            R"({"Sid":"a","Effect":"Deny","Principal":"*","Action":"*","Resource":"*"})"),
       "The Statement Ids in the policy are not unique"},
      {denial(R"(["dynamodb:GetRecords","*","dynamodb:DescribeStream","dynamodb:GetItm","s3:*"])",
              R"("x")"),
       R"(The following action names are invalid: "dynamodb:GetRecords", )"
       R"("dynamodb:DescribeStream", "dynamodb:GetItm", "s3:*")"},
      {denial(R"("*")", R"(["*","T"])"), R"(Resource T must be in ARN format or "*".)"},
      {denial(R"("*")", R"("arn:aws:s3:::b")"),
       R"(Resource arn:aws:s3:::b must be in ARN format or "*".)"},
      {denial(R"("*")", "\"" + std::string(kTable) + "/stream/L\""),
       R"(The relative-id "table/T/stream/L" is invalid for ARN ")" + std::string(kTable) +
           "/stream/L\""},
      {grant(R"({"AWS":"nobody"})"),
       "One or more parameter values were invalid: Invalid principal in policy document."},
      {grant(R"("*")"), std::string(kUnbounded)},
      {grant(R"({"AWS":["111122223333","*"]})"), std::string(kUnbounded)},
  });
}

TEST_CASE("policy: names of actions have wildcards and any case", "[protocol]") {
  for (const std::string action : {"*", "dynamodb:*", "DynamoDB:getitem", "dynamodb:Batch*Item",
                                   "dynamodb:?uery", "dynamodb:PartiQL*", "dynamodb:**"}) {
    const std::string document = denial("\"" + action + "\"", R"("*")");
    CHECK(result_of(document) == document);
  }
  for (const std::string action : {"dynamodb:", "dynamodb:GetItems", "dynamodb:?etItemX",
                                   "dynamodb:Get*s?", "dynamodb", "GetItem", "dynamodb:ListTables"})
    CHECK(result_of(denial("\"" + action + "\"", R"("*")")) ==
          std::string(kInvalid) + "The following action names are invalid: \"" + action + "\"");
}

TEST_CASE("policy: a stream's names its actions and ARNs", "[protocol]") {
  const std::string stream = "\"" + std::string(kTable) + "/stream/*\"";
  const std::string of_stream = denial(R"(["dynamodb:GetRecords","dynamodb:*Policy"])", stream);
  check(
      {
          {of_stream, of_stream},
          {denial(R"("dynamodb:GetItem")", stream),
           R"(The following action names are invalid: "dynamodb:GetItem")"},
          {denial(R"("*")", "\"" + std::string(kTable) + "\""),
           R"(The relative-id "table/T" is invalid for ARN ")" + std::string(kTable) + "\""},
      },
      PolicyOwner::Stream);
}

TEST_CASE("policy: principals have one of the known forms", "[protocol]") {
  for (const std::string principal :
       {R"({"AWS":"arn:aws:iam::111122223333:user/path/bob"})",
        R"({"AWS":["arn:aws:iam::111122223333:role/r","arn:aws:iam::111122223333:root"]})",
        R"({"AWS":"arn:aws:sts::111122223333:assumed-role/r/s"})",
        R"({"Service":"lambda.amazonaws.com"})"}) {
    CHECK(result_of(grant(principal)) == grant(principal));
  }
  for (const std::string principal :
       {R"({"AWS":""})", R"({"AWS":"11112222333"})", R"({"AWS":"arn:aws:iam::1:root"})",
        R"({"AWS":"arn:aws:iam::111122223333:group/g"})", R"({"Service":"lambda"})",
        R"({"AWS":"arn:aws:s3::111122223333:root"})",
        R"({"AWS":"arn:aws:iam::111122223333:user/"})"})
    CHECK(result_of(grant(principal)) ==
          "One or more parameter values were invalid: Invalid principal in policy document.");
}

TEST_CASE("policy: a condition may bound what is granted to everybody", "[protocol]") {
  const auto granted = [](std::string_view condition) {
    return grant(R"("*")", R"(,"Condition":{)" + std::string(condition) + "}");
  };
  const std::string bounded = granted(R"("StringEquals":{"AWS:PrincipalOrgId":"o-1"})");
  CHECK(result_of(bounded) == bounded);
  for (const std::string_view condition :
       {R"("StringLike":{"aws:PrincipalOrgID":"o-*"})", R"("StringEquals":{"aws:UserAgent":"x"})",
        R"("StringNotEquals":{"aws:PrincipalOrgID":"o-1"})",
        R"("StringEqualsIfExists":{"aws:PrincipalOrgID":"o-1"})",
        R"("ForAllValues:StringEquals":{"aws:PrincipalOrgID":"o-1"})",
        R"("Null":{"aws:PrincipalOrgID":"false"})"})
    CHECK(result_of(granted(condition)) == kUnbounded);
}

TEST_CASE("policy: the size counts white space", "[protocol]") {
  const std::string document = denial(R"("*")", R"("*")");
  const std::string most = document + std::string(limits::kPolicyBytesMax - document.size(), ' ');
  CHECK(result_of(most) == document);
  CHECK(result_of(most + " ") ==
        "One or more parameter values were invalid: Maximum policy size of 20480 bytes exceeded");
}

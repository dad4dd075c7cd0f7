#include "server/access/decisions/request_facts.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace stator::access {
namespace {

Identity session_of_everything() {
  Identity identity;
  identity.principal.arn = "arn:aws:sts::111122223333:assumed-role/app/ci";
  identity.principal.account = "111122223333";
  identity.principal.kind = PrincipalKind::AssumedRole;
  identity.principal_arn = "arn:aws:iam::111122223333:role/app";
  identity.id = "AROA1:ci";
  identity.name = "name";
  identity.tags = {{"tenant", "t1"}, {"\u00c9", "x"}};
  identity.source_identity = "ann";
  identity.issued = Timestamp{1'000'000};
  identity.context = {{"www.amazon.com:user_id", "u1"}, {"\u00c9", "y"}};
  return identity;
}

Policy policy_on(std::string_view key) {
  std::string text(R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*",)");
  text.append(R"("Resource":"*","Condition":{"Null":{")").append(key).append(R"(":"false"}}}})");
  auto policy = compile_policy(text, PolicyKind::Identity);
  REQUIRE(policy);
  return *std::move(policy);
}

HttpRequest some_request(HttpRequestParser& parser) {
  std::string_view rest =
      "POST / HTTP/1.1\r\nHost: a\r\nUser-Agent: agent\r\nReferer: page\r\nContent-Length: "
      "0\r\n\r\n";
  while (!rest.empty()) rest.remove_prefix(parser.feed(rest).consumed);
  HttpRequest request = parser.request();
  request.set_origin({"127.0.0.1", true, false});
  return request;
}

// Every key that a request can have is there if a policy looks at it, whatever its letters' case.
TEST_CASE("request facts: a key that some policy looks at is there", "[server]") {
  HttpRequestParser parser(/*keeps_fields=*/true);
  const HttpRequest request = some_request(parser);
  const Timestamp now{2'000'000};
  const Identity plain = session_of_everything();
  RequestContext all;
  add_global_keys(all, plain, request, "us-east-1", now);
  CHECK(all.keys().size() == 20);
  const std::vector<std::vector<Policy> Identity::*> lists{&Identity::identity, &Identity::boundary,
                                                           &Identity::session};
  for (const ContextKey& key : all.keys()) {
    INFO(key.name);
    std::string lower = key.name;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const auto list : lists) {
      for (const std::string& written : {key.name, lower}) {
        Identity identity = plain;
        (identity.*list).push_back(policy_on(written));
        RequestContext some;
        add_global_keys(some, identity, request, "us-east-1", now, WantedKeys(identity));
        const ContextKey* const found = some.find(key.name);
        REQUIRE(found != nullptr);
        CHECK(found->values == key.values);
      }
    }
  }
}

TEST_CASE("request facts: other keys are left out", "[server]") {
  HttpRequestParser parser(/*keeps_fields=*/true);
  const HttpRequest request = some_request(parser);
  Identity identity = session_of_everything();
  identity.context = {{"www.amazon.com:user_id", "u1"}};
  identity.identity = {policy_on("aws:PrincipalTag/other")};
  WantedKeys wanted(identity);
  RequestContext context;
  add_global_keys(context, identity, request, "us-east-1", Timestamp{}, wanted);
  CHECK(context.keys().size() == identity.tags.size());
  CHECK_FALSE(wanted.has("dynamodb:LeadingKeys"));
  CHECK_FALSE(wanted.has("aws:ResourceTag/tenant"));
  const Policy more = policy_on("dynamodb:leadingkeys");
  wanted.add(more);
  CHECK(wanted.has("dynamodb:LeadingKeys"));
}

}  // namespace
}  // namespace stator::access

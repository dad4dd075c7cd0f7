#include "server/access/principals/directory_reader.h"

#include <catch2/catch.hpp>

#include "server/access/principals/sessions.h"

namespace stator::access {
namespace {

const std::string kAllowAll =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]})";

std::string file(const std::string& principals, const std::string& more = "") {
  return R"({"version":1,"account":"111122223333","principals":[)" + principals + "]" + more + "}";
}

std::string user(const std::string& members) {
  return R"({"arn":"arn:aws:iam::111122223333:user/x/dev",)" + members + "}";
}

std::string role(const std::string& members) {
  return R"({"arn":"arn:aws:iam::111122223333:role/x/app",)" + members + "}";
}

const std::string kSession =
    R"("sessions":[{"name":"ci","id":"ASIA1","secret":"s","token":"t","tags":{"tenant":"b"},)"
    R"("expires":"2027-01-01T00:00:00Z","context":{"www.amazon.com:user_id":"u1"}}])";

TEST_CASE("access file: keys and what they stand for", "[server]") {
  const auto read = read_directory(
      file(user(R"("keys":[{"id":"AKIA1","secret":"s1"}],"groups":["all"],"tags":{"tenant":"a"})") +
               "," + role(R"("tags":{"tenant":"a","team":"x"},)" + kSession),
           R"(,"groups":{"all":{"policies":[)" + kAllowAll + "]}}"));
  REQUIRE(read);
  CHECK(read->account == "111122223333");
  const Credential& key = read->keys.at("AKIA1");
  CHECK(key.secret == "s1");
  CHECK(key.identity->name == "dev");
  CHECK(key.identity->id.starts_with("AIDA"));
  CHECK(key.identity->identity.size() == 1);
  CHECK_FALSE(key.identity->is_session());
  const Credential& session = read->keys.at("ASIA1");
  CHECK(session.token == "t");
  CHECK(session.expires == Timestamp{1'798'761'600'000'000});
  CHECK(session.identity->principal.arn == "arn:aws:sts::111122223333:assumed-role/app/ci");
  CHECK(session.identity->principal_arn == "arn:aws:iam::111122223333:role/x/app");
  CHECK(session.identity->tags == Tags{{"tenant", "b"}, {"team", "x"}});
  CHECK(session.identity->id.ends_with(":ci"));
}

TEST_CASE("access file: what is wrong is named", "[server]") {
  const std::pair<std::string, std::string> kCases[] = {
      {"{\n\n]", "line 3: this is not JSON"},
      {"[]", "the file: is not an object"},
      {"{}", "version: is not 1"},
      {R"({"version":1,"keys":[]})", "the file.keys: there is no such member"},
      {file("7"), "principals[0]: is not an object"},
      {file(user(R"("tags":{"team":"x","TEAM":"y"})")), "principals[0].tags.TEAM: is there twice"},
      {file("{}"), "principals[0].arn: is missing"},
      {file(R"({"arn":"x"})"),
       "principals[0].arn: is not that of a user, a role or an account's root"},
      {file(user(R"("keys":[{"id":"a b","secret":"s"}])")),
       "principals[0].keys[0].id: is not an access key: up to 128 visible characters, no /"},
      {file(user(R"("keys":[{"id":"a"}])")), "principals[0].keys[0].secret: is missing"},
      {file(user(R"("keys":[{"id":"a","secret":"s"},{"id":"a","secret":"s"}])")),
       "principals[0].keys[1].id: another key has this id"},
      {file(user(R"("tags":{"a":1})")), "principals[0].tags.a: is not a string"},
      {file(user(R"("trust":{})")), "principals[0].trust: only roles have it"},
      {file(role(R"("keys":[])")), "principals[0].keys: roles have sessions instead"},
      {file(user(R"("policies":["none"])")),
       "principals[0].policies[0]: no policy of `managed` has this name"},
      {file(user(R"("groups":["none"])")), "principals[0].groups[0]: there is no such group"},
      {file(user(R"("tags":{},"tags":{})")), "principals[0].tags: is there twice"},
      {file(user(R"("tags":{})") + "," + user(R"("tags":{})")),
       "principals[1].arn: is there twice"},
      {file(
           role(R"("sessions":[{"name":"n","id":"i","secret":"s","token":"t","expires":"soon"}])")),
       "principals[0].sessions[0].expires: is no time such as 2027-01-01T00:00:00Z"},
  };
  for (const auto& [text, error] : kCases) {
    const auto read = read_directory(text);
    INFO(text);
    REQUIRE_FALSE(read);
    CHECK(read.error() == error);
  }
}

TEST_CASE("access file: a wrong policy names its place", "[server]") {
  const auto read = read_directory(
      file(user(R"("policies":[{"Version":"2012-10-17","Statement":[{"Effect":"allow"}]}])")));
  REQUIRE_FALSE(read);
  CHECK(read.error().starts_with("principals[0].policies[0].Statement"));
}

TEST_CASE("access file: condition keys that no request has are warned of", "[server]") {
  const auto read = read_directory(file(
      user(R"("policies":[{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*",)"
           R"("Resource":"*","Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-1"}}}]}])")));
  REQUIRE(read);
  REQUIRE(read->warnings.size() == 1);
  CHECK(read->warnings[0] ==
        "principals[0].policies[0]: no request has the condition key aws:principalorgid");
}

TEST_CASE("sessions: they end with their role, and follow its policies", "[server]") {
  const auto first = read_directory(file(role(R"("tags":{"team":"x"})")));
  REQUIRE(first);
  Sessions sessions;
  SessionDraft draft;
  draft.name = "ci";
  const auto made =
      sessions.begin(*first, {"arn:aws:iam::111122223333:role/x/app", draft, Timestamp{100}});
  REQUIRE(made);
  CHECK_FALSE(sessions.begin(*first, {"arn:aws:iam::111122223333:role/no", draft, Timestamp{100}}));
  const auto changed = read_directory(file(role(R"("policies":[)" + kAllowAll + "]")));
  sessions.follow(*changed);
  const auto found = sessions.find(made->access_key);
  REQUIRE(found);
  CHECK(found->secret == made->credential.secret);
  CHECK(found->identity->identity.size() == 1);
  CHECK(found->identity->tags.empty());
  sessions.follow(Directory());
  CHECK_FALSE(sessions.find(made->access_key));
}

TEST_CASE("sessions: the one that ends first makes room", "[server]") {
  const auto directory = read_directory(file(role(R"("tags":{})")));
  Sessions sessions;
  const std::string arn = "arn:aws:iam::111122223333:role/x/app";
  const auto first = sessions.begin(*directory, {arn, {}, Timestamp{1}});
  const auto second = sessions.begin(*directory, {arn, {}, Timestamp{3}});
  for (std::size_t i = 2; i <= Sessions::kSessionsMax; ++i)
    sessions.begin(*directory, {arn, {}, Timestamp{2}});
  CHECK_FALSE(sessions.find(first->access_key));
  CHECK(sessions.find(second->access_key));
}

TEST_CASE("identities: no two have the same number, copies neither", "[server]") {
  const auto root = root_of("111122223333");
  Identity copy = *root;
  CHECK(copy.number.value() != root->number.value());
  const auto before = copy.number.value();
  copy = *root;
  CHECK(copy.number.value() != before);
  CHECK(copy.number.value() != root->number.value());
}

}  // namespace
}  // namespace stator::access

// server/access/sts/session_tags.cpp: tags at their limits, and those that go along.

#include "server/access/sts/session_tags.h"

#include <catch2/catch.hpp>

namespace stator::access {
namespace {

// "code: message" of the refusal; empty if there is none.
std::string refusal(const Tags& tags, const std::vector<std::string>& transitive_keys = {}) {
  const auto checked = check_session_tags(tags, transitive_keys);
  return checked ? "" : std::string(checked.error().code) + ": " + checked.error().message;
}

std::string broken(const std::string& value, const std::string& member, const std::string& rule) {
  return "ValidationError: 1 validation error detected: Value '" + value + "' at '" + member +
         "' failed to satisfy constraint: " + rule;
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all.append(text);
  return all;
}

Tags numbered(std::size_t count) {
  Tags tags;
  for (std::size_t i = 1; i <= count; ++i) tags.emplace_back("k" + std::to_string(i), "v");
  return tags;
}

TEST_CASE("session tags: what fits", "[server]") {
  const Tags kCases[] = {
      {},
      {{"team", ""}},
      {{"Zoë @ 1_/:+=-.", "Zoë @ 1_/:+=-."}},
      {{repeated("é", 128), repeated("日", 256)}},
      numbered(50),
  };
  for (const Tags& tags : kCases) CHECK(refusal(tags).empty());
}

TEST_CASE("session tags: what does not", "[server]") {
  const std::string pattern =
      "Member must satisfy regular expression pattern: [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]";
  const std::string twice =
      "InvalidParameterValue: Duplicate tag keys found. Please note that Tag keys are case "
      "insensitive.";
  const std::pair<Tags, std::string> kCases[] = {
      {{{"a#b", "x"}}, broken("a#b", "tags.member.key", pattern + "+")},
      {{{"a", "*"}}, broken("*", "tags.member.value", pattern + "*")},
      {{{"a,b", "x"}}, broken("a,b", "tags.member.key", pattern + "+")},
      {{{"", "x"}}, broken("", "tags.member.key", "Member must have length from 1 to 128")},
      {{{repeated("é", 129), "x"}},
       broken(repeated("é", 129), "tags.member.key", "Member must have length from 1 to 128")},
      {{{"a", repeated("日", 257)}},
       broken(repeated("日", 257), "tags.member.value",
              "Member must have length less than or equal to 256")},
      {numbered(51), broken("51", "tags", "Member must have length less than or equal to 50")},
      {{{"team", "x"}, {"TEAM", "y"}}, twice},
      {{{"team", "x"}, {"team", "x"}}, twice},
  };
  for (const auto& [tags, expected] : kCases) CHECK(refusal(tags) == expected);
}

TEST_CASE("session tags: transitive keys are keys of the tags, in any case", "[server]") {
  const Tags tags{{"Team", "x"}};
  CHECK(refusal(tags, {"Team"}).empty());
  CHECK(refusal(tags, {"tEAM"}).empty());
  const std::string missing =
      "ValidationError: The specified transitive tag key must be included in the requested tags.";
  CHECK(refusal(tags, {"Team", "tenant"}) == missing);
  CHECK(refusal({}, {""}) == missing);
  CHECK(refusal(tags, std::vector<std::string>(50, "Team")).empty());
  CHECK(refusal(tags, std::vector<std::string>(51, "Team")) ==
        broken("51", "transitiveTagKeys", "Member must have length less than or equal to 50"));
}

TEST_CASE("session tags: forms are read to the first number that is missing", "[server]") {
  const StsForm form(
      "Tags.member.1.Key=a&Tags.member.1.Value=1&Tags.member.2.Key=b&Tags.member.4.Key=d&"
      "TransitiveTagKeys.member.1=a&TransitiveTagKeys.member.2=&TransitiveTagKeys.member.4=d");
  CHECK(tags_in(form) == Tags{{"a", "1"}, {"b", ""}});
  CHECK(transitive_keys_in(form) == std::vector<std::string>{"a", ""});
}

TEST_CASE("session tags: transitive ones go along whatever the case of their keys", "[server]") {
  Identity caller;
  caller.tags = {{"Tenant", "t1"}, {"team", "x"}};
  caller.transitive_tags = {"tenant", "gone"};
  SessionDraft draft;
  draft.tags = {{"TENANT", "t2"}, {"team", "y"}};
  draft.transitive_tags = {"TENANT"};
  inherit_tags(caller, draft);
  CHECK(draft.tags == Tags{{"team", "y"}, {"Tenant", "t1"}});
  CHECK(draft.transitive_tags == std::vector<std::string>{"TENANT"});

  SessionDraft bare;
  inherit_tags(caller, bare);
  CHECK(bare.tags == Tags{{"Tenant", "t1"}});
  CHECK(bare.transitive_tags == std::vector<std::string>{"tenant"});
}

TEST_CASE("session tags: those of a session lie over its role's in any case", "[server]") {
  Identity app;
  app.principal.arn = "arn:aws:iam::111122223333:role/app";
  app.tags = {{"Department", "marketing"}, {"team", "x"}};
  const Role role{std::make_shared<const Identity>(std::move(app)), "app", std::nullopt};
  SessionDraft draft;
  draft.name = "ci";
  draft.tags = {{"department", "engineering"}, {"tenant", "t1"}};
  CHECK(role_session(role, std::move(draft))->tags ==
        Tags{{"department", "engineering"}, {"team", "x"}, {"tenant", "t1"}});
}

}  // namespace
}  // namespace stator::access

// Identity, resource, boundary and session policies together: each says yes, no or nothing.
#include <array>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/unit/protocol/access/access_fixture.h"

namespace stator::access {
namespace {

// What the policies of a type say; None: the request has none of the type.
enum class Says { Allow, Deny, Silent, None };
constexpr std::array kSays{Says::Allow, Says::Deny, Says::Silent, Says::None};

enum class Naming { Itself, Source, Everybody, Account };
constexpr std::array kNamings{Naming::Itself, Naming::Source, Naming::Everybody, Naming::Account};

std::string identity_statement(Says says) {
  const std::string_view effect = says == Says::Deny ? "Deny" : "Allow";
  const std::string_view action = says == Says::Silent ? "lambda:*" : "dynamodb:*";
  std::string text = R"({"Effect":")";
  text.append(effect).append(R"(","Action":")").append(action).append(R"(","Resource":"*"})");
  return text;
}

std::string resource_statement(Says says, std::string_view principal) {
  std::string text = R"({"Principal":)";
  text.append(principal).append(",");
  return text.append(identity_statement(says).substr(1));
}

std::string named(const Principal& principal, Naming naming) {
  std::string arn = principal.arn;
  if (naming == Naming::Everybody) return R"("*")";
  if (naming == Naming::Account) arn = principal.account;
  if (naming == Naming::Source) {
    arn = principal.kind == PrincipalKind::AssumedRole ? principal.role_arn : principal.issuer_arn;
  }
  return std::string(R"({"AWS":")").append(arn).append("\"}");
}

struct Combination {
  Says identity;
  Says resource;
  Says boundary;
  Says session;
  Naming naming;
  bool is_abroad;
};

// The rules as one list, in the order of the reasons.
Reason expected(const Combination& c, const Principal& principal) {
  if (c.resource == Says::Deny) return Reason::ResourceDeny;
  if (c.identity == Says::Deny) return Reason::IdentityDeny;
  if (c.boundary == Says::Deny) return Reason::BoundaryDeny;
  if (c.session == Says::Deny) return Reason::SessionDeny;
  const bool is_named = c.resource == Says::Allow;
  if (!c.is_abroad && principal.kind == PrincipalKind::Root) return Reason::Allowed;
  if (!c.is_abroad && is_named && c.naming == Naming::Itself) return Reason::Allowed;
  const bool is_root = principal.kind == PrincipalKind::Root;
  const bool is_freed = !c.is_abroad && is_named && c.naming != Naming::Account;
  if (c.identity != Says::Allow && !is_freed && !is_root) return Reason::NoIdentityAllow;
  const bool needs_session = principal.kind == PrincipalKind::FederatedUser;
  if (c.session == Says::Silent || (c.session == Says::None && needs_session))
    return Reason::NoSessionAllow;
  if (c.boundary == Says::Silent) return Reason::NoBoundaryAllow;
  return c.is_abroad && !is_named ? Reason::NoResourceAllow : Reason::Allowed;
}

Reason found(const Combination& c, const Principal& principal) {
  Ask ask;
  ask.principal = principal;
  ask.owner = c.is_abroad ? kAbroad : kHome;
  PolicySet set;
  if (c.identity != Says::None) set.identity(identity_statement(c.identity));
  if (c.boundary != Says::None) set.boundary(identity_statement(c.boundary));
  if (c.session != Says::None) set.session(identity_statement(c.session));
  if (c.resource != Says::None)
    set.resource(resource_statement(c.resource, named(principal, c.naming)));
  return decide(ask, set).reason;
}

// Calls `visit` with all combinations.
template <class Visit>
void each_combination(const Principal& principal, Visit visit) {
  const bool has_source = !principal.role_arn.empty() || !principal.issuer_arn.empty();
  for (const Naming naming : kNamings) {
    if (naming == Naming::Source && !has_source) continue;
    for (unsigned i = 0; i < 4 * 4 * 4 * 4 * 2; ++i) {
      visit(Combination{kSays.at(i % 4), kSays.at(i / 4 % 4), kSays.at(i / 16 % 4),
                        kSays.at(i / 64 % 4), naming, i / 256 == 1});
    }
  }
}

}  // namespace

TEST_CASE("access: all types of policies together, in one account and across two", "[protocol]") {
  for (const Principal& principal :
       {user_of(kHome), session_of(kHome), federated_of(kHome), root_of(kHome)}) {
    each_combination(principal, [&](const Combination& c) {
      const Reason reason = found(c, principal);
      if (reason == expected(c, principal)) return;
      FAIL(principal.arn << ": identity " << static_cast<int>(c.identity) << ", resource "
                         << static_cast<int>(c.resource) << ", boundary "
                         << static_cast<int>(c.boundary) << ", session "
                         << static_cast<int>(c.session) << ", naming " << static_cast<int>(c.naming)
                         << ", abroad " << c.is_abroad << ": " << reason_name(reason));
    });
  }
}

TEST_CASE("access: how a resource policy names a session", "[protocol]") {
  using R = Reason;
  // Neither identity policy, boundary nor session policy allows.
  for (const Principal& session : {session_of(kHome), federated_of(kHome)}) {
    const auto limited = [&](Naming naming) {
      return found({Says::Silent, Says::Allow, Says::Silent, Says::Silent, naming, false}, session);
    };
    CHECK(limited(Naming::Itself) == R::Allowed);
    CHECK(limited(Naming::Source) == R::NoSessionAllow);
    CHECK(limited(Naming::Everybody) == R::NoSessionAllow);
    CHECK(limited(Naming::Account) == R::NoIdentityAllow);
    const auto open = [&](Naming naming) {
      return found({Says::Silent, Says::Allow, Says::Allow, Says::Allow, naming, false}, session);
    };
    CHECK(open(Naming::Source) == R::Allowed);
    CHECK(open(Naming::Everybody) == R::Allowed);
    CHECK(open(Naming::Account) == R::NoIdentityAllow);
  }
  CHECK(found({Says::None, Says::Deny, Says::None, Says::None, Naming::Account, false},
              user_of(kHome)) == R::ResourceDeny);
}

TEST_CASE("access: a resource policy that names somebody else says nothing", "[protocol]") {
  Ask ask;
  const auto allows = [&](std::string_view principal) {
    PolicySet set;
    return is_allowed(ask, set.resource(resource_statement(Says::Allow, principal)));
  };
  CHECK(allows(R"({"AWS":"arn:aws:iam::111122223333:user/dev"})"));
  CHECK(allows(R"({"AWS":["444455556666","arn:aws:iam::111122223333:user/dev"]})"));
  CHECK(allows(R"({"AWS":"*"})"));
  CHECK(!allows(R"({"AWS":"arn:aws:iam::111122223333:user/Dev"})"));
  CHECK(!allows(R"({"AWS":"arn:aws:iam::111122223333:role/dev"})"));
  CHECK(!allows(R"({"Service":"dynamodb.amazonaws.com"})"));
  CHECK(!allows(R"({"Federated":"arn:aws:iam::111122223333:user/dev"})"));
  // Two statements may name a session in two ways; the closest counts.
  ask.principal = session_of(kHome);
  PolicySet set;
  set.session(identity_statement(Says::Silent));
  set.resource(resource_statement(Says::Allow, R"("*")"));
  CHECK(!is_allowed(ask, set));
  set.resource(resource_statement(Says::Allow, named(ask.principal, Naming::Itself)));
  CHECK(is_allowed(ask, set));
}

TEST_CASE("access: NotPrincipal", "[protocol]") {
  const auto decides = [](std::string_view effect, std::string_view names,
                          const Principal& principal, bool has_boundary = false) {
    std::string text = R"({"Effect":")";
    text.append(effect).append(R"(","NotPrincipal":{"AWS":[)").append(names);
    text.append(R"(]},"Action":"*","Resource":"*"})");
    PolicySet set;
    if (effect == "Deny") set.identity(identity_statement(Says::Allow));
    if (has_boundary) set.boundary(identity_statement(Says::Allow));
    set.resource(text);
    Ask ask;
    ask.principal = principal;
    return is_allowed(ask, set);
  };
  const std::string_view user = R"("arn:aws:iam::111122223333:user/dev")";
  const std::string_view user_and_account =
      R"("arn:aws:iam::111122223333:user/dev","arn:aws:iam::111122223333:root")";
  CHECK(decides("Deny", user_and_account, user_of(kHome)));
  CHECK(!decides("Deny", user_and_account, user_of(kHome), true));
  CHECK(!decides("Deny", user, user_of(kHome)));
  CHECK(!decides("Deny", R"("111122223333")", user_of(kHome)));
  CHECK(decides("Deny", R"("111122223333")", root_of(kHome)));
  CHECK(!decides("Deny", user_and_account, session_of(kHome)));
  CHECK(!decides("Deny", R"("111122223333","arn:aws:iam::111122223333:role/app")",
                 session_of(kHome)));
  CHECK(decides("Deny",
                R"("111122223333","arn:aws:iam::111122223333:role/app",
                "arn:aws:sts::111122223333:assumed-role/app/ci")",
                session_of(kHome)));
  CHECK(!decides("Allow", user, user_of(kHome)));
  CHECK(!decides("Allow", R"("111122223333")", user_of(kHome)));
  CHECK(decides("Allow", R"("444455556666")", user_of(kHome)));
}

TEST_CASE("access: actions that policies of resources can carry", "[protocol]") {
  const auto is_granted = [](std::string_view action, bool is_abroad) {
    Ask ask;
    ask.action = action;
    ask.owner = is_abroad ? kAbroad : kHome;
    PolicySet set;
    if (is_abroad) set.identity(R"({"Effect":"Allow","Action":"*","Resource":"*"})");
    return is_allowed(ask, set.resource(R"({"Effect":"Allow","Principal":"*",
                                        "Action":"*","Resource":"*"})"));
  };
  for (const std::string_view action : {"GetItem", "BatchWriteItem", "ConditionCheckItem",
                                        "DeleteTable", "TagResource", "GetRecords", "Query"}) {
    INFO(action);
    CHECK(is_granted(std::string("dynamodb:").append(action), false));
    CHECK(is_granted(std::string("dynamodb:").append(action), true));
  }
  for (const std::string_view action :
       {"PartiQLSelect", "UpdateTimeToLive", "CreateBackup", "PutResourcePolicy"}) {
    INFO(action);
    CHECK(is_granted(std::string("dynamodb:").append(action), false));
    CHECK(!is_granted(std::string("dynamodb:").append(action), true));
  }
  for (const std::string_view action : {"CreateTable", "ListTables", "DescribeLimits"}) {
    INFO(action);
    CHECK(!is_granted(std::string("dynamodb:").append(action), false));
    CHECK(!is_granted(std::string("dynamodb:").append(action), true));
  }
}

TEST_CASE("access: trust policies", "[protocol]") {
  Ask ask;
  ask.action = "sts:AssumeRole";
  ask.resource = "arn:aws:iam::111122223333:role/app";
  const auto assumes = [&](std::string_view statement, bool has_identity = false) {
    PolicySet set;
    if (has_identity) set.identity(R"({"Effect":"Allow","Action":"sts:*","Resource":"*"})");
    return is_allowed(ask, set.trust(statement));
  };
  const std::string_view by_account =
      R"({"Effect":"Allow","Principal":{"AWS":"111122223333"},"Action":"sts:AssumeRole"})";
  CHECK(!assumes(by_account));
  CHECK(assumes(by_account, true));
  CHECK(assumes(R"({"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:user/dev"},
                "Action":"sts:AssumeRole"})"));
  ask.action = "sts:AssumeRoleWithWebIdentity";
  ask.principal = {"cognito-identity.amazonaws.com", {}, PrincipalKind::WebIdentity, {}, {}};
  ask.principal.account = kHome;
  CHECK(assumes(R"({"Effect":"Allow","Principal":{"Federated":"cognito-identity.amazonaws.com"},
                "Action":"sts:AssumeRoleWithWebIdentity"})"));
  CHECK(!assumes(R"({"Effect":"Allow","Principal":{"Federated":"accounts.google.com"},
                 "Action":"sts:*"})"));
}

}  // namespace stator::access

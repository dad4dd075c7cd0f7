// Policies against a second, slow evaluator: random documents, principals and requests. Both must
// give the same reason, and so must the server's memory of decisions, while policies change. The
// same seed repeats the same run:
//   model_access [--seed N] [--steps N], where a step is a request.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/access/evaluation.h"
#include "protocol/access/memory/decision_cache.h"
#include "tests/model/access/plain_policy.h"

namespace stator::access::model {
namespace {

constexpr std::uint64_t kSteps = 20'000;
constexpr std::uint64_t kRequestsPerPolicies = 4;
constexpr std::size_t kPrincipalKinds = 4;

using Words = std::span<const std::string_view>;

constexpr auto kActions = std::to_array<std::string_view>(
    {"*", "dynamodb:*", "dynamodb:GetItem", "DYNAMODB:get*", "dynamodb:*Item", "dynamodb:?uery",
     "lambda:*", "dynamodb:PartiQL*", "*:CreateTable", "d*:*e*"});
constexpr auto kAskedActions = std::to_array<std::string_view>(
    {"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:PartiQLSelect",
     "dynamodb:CreateTable", "lambda:Invoke"});
constexpr auto kResources = std::to_array<std::string_view>(
    {"*", "arn:aws:dynamodb:*:*:table/App", "arn:aws:dynamodb:*:*:table/*",
     "arn:aws:dynamodb:r:1*:table/App/index/?", "arn:*:*:*:*:*", "arn:aws:dynamodb:r:*:*p*p*",
     "arn:aws:dynamodb:*:*:table/${name}", "arn:aws:dynamodb:*:*:table/${none, 'App'}*",
     "arn:aws:dynamodb:*:*:table/${list}", "arn:aws:dynamodb:*:*:table/${star}",
     "arn:aws:dynamodb:*:*:table/${*}${?}", "arn:aws:dynamodb:*:*:*a*?a*A"});
constexpr auto kAskedResources = std::to_array<std::string_view>(
    {"arn:aws:dynamodb:r:111122223333:table/App",
     "arn:aws:dynamodb:r:111122223333:table/App/index/I",
     "arn:aws:dynamodb:r:444455556666:table/App", "arn:aws:dynamodb:r:111122223333:table/*?",
     "arn:aws:dynamodb:s:111122223333:table/aabaA", "*"});
constexpr auto kPrincipals = std::to_array<std::string_view>(
    {"*", "111122223333", "arn:aws:iam::111122223333:root", "arn:aws:iam::111122223333:user/dev",
     "arn:aws:iam::111122223333:role/app", "arn:aws:sts::111122223333:assumed-role/app/ci",
     "arn:aws:sts::111122223333:federated-user/bob", "444455556666"});
constexpr auto kKeys = std::to_array<std::string_view>(
    {"name", "list", "star", "none", "Number", "ip", "arn", "LIST"});
constexpr auto kStrings = std::to_array<std::string_view>(
    {"App", "app", "a*", "*", "A?p", "${name}", "${name}#*", "${none, 'x'}", "${list}", "x", "",
     "${star}", "${*}", "*p*p", "App#1"});
constexpr auto kNumbers = std::to_array<std::string_view>({"1", "1.0", "2", "-3", "1e1", "10"});
constexpr auto kMoments = std::to_array<std::string_view>(
    {"1970-01-01", "0", "1", "1970-01-01T00:00:01Z", "1970-01-01T01:00:02+01:00"});
constexpr auto kBlocks = std::to_array<std::string_view>(
    {"10.0.0.0/8", "10.1.2.3", "0.0.0.0/0", "192.168.1.128/25", "10.1.0.0/15"});
constexpr auto kArns = std::to_array<std::string_view>(
    {"arn:aws:iam::1:user/*", "arn:*:*:*:*:*", "arn:aws:iam::?:user/${name}", "*",
     "arn:aws:iam::1:user/a", "arn:aws:*:1:user/a"});
constexpr auto kFlags = std::to_array<std::string_view>({"true", "false"});
constexpr auto kBytes = std::to_array<std::string_view>({"AQI=", "AQM="});

constexpr auto kPrefixes =
    std::to_array<std::string_view>({"", "", "ForAllValues:", "ForAnyValue:"});
constexpr auto kSuffixes = std::to_array<std::string_view>({"", "", "IfExists"});

struct OperatorWords {
  std::string_view op;
  Words values;
};
const std::array<OperatorWords, 22> kOperators{{
    {"StringEquals", kStrings},
    {"StringNotEquals", kStrings},
    {"StringEqualsIgnoreCase", kStrings},
    {"StringNotEqualsIgnoreCase", kStrings},
    {"StringLike", kStrings},
    {"StringNotLike", kStrings},
    {"NumericEquals", kNumbers},
    {"NumericNotEquals", kNumbers},
    {"NumericLessThan", kNumbers},
    {"NumericGreaterThanEquals", kNumbers},
    {"DateEquals", kMoments},
    {"DateNotEquals", kMoments},
    {"DateLessThanEquals", kMoments},
    {"DateGreaterThan", kMoments},
    {"Bool", kFlags},
    {"BinaryEquals", kBytes},
    {"IpAddress", kBlocks},
    {"NotIpAddress", kBlocks},
    {"ArnLike", kArns},
    {"ArnNotEquals", kArns},
    {"StringLike", kStrings},
    {"StringEquals", kStrings},
}};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool one_in(std::size_t times) { return below(times) == 0; }
  std::string word(Words words) { return std::string(words[below(words.size())]); }
  std::vector<std::string> words(Words from, std::size_t max) {
    std::vector<std::string> words(1 + below(max));
    for (std::string& one : words) one = word(from);
    return words;
  }

 private:
  std::mt19937_64 engine_;
};

PlainCondition random_condition(Dice& dice) {
  if (dice.one_in(6)) return {"Null", dice.word(kKeys), dice.words(kFlags, 2)};
  const OperatorWords& row = kOperators.at(dice.below(kOperators.size()));
  std::string op = dice.word(kPrefixes);
  op.append(row.op).append(dice.word(kSuffixes));
  return {op, dice.word(kKeys), dice.words(row.values, 3)};
}

PlainPolicy random_policy(Dice& dice, bool has_principals) {
  PlainPolicy policy;
  policy.has_variables = !dice.one_in(8);
  policy.statements.resize(1 + dice.below(3));
  for (PlainStatement& statement : policy.statements) {
    statement.is_deny = dice.one_in(5);
    statement.is_not_action = dice.one_in(8);
    statement.actions = dice.words(kActions, 2);
    statement.is_not_resource = dice.one_in(8);
    statement.resources = dice.words(kResources, 2);
    if (has_principals) {
      statement.is_not_principal = dice.one_in(6);
      statement.principals = dice.words(kPrincipals, 4);
    }
    for (std::size_t i = dice.below(3); i > 0; --i) {
      PlainCondition condition = random_condition(dice);
      const bool is_new =
          statement.conditions.empty() || statement.conditions.front().op != condition.op;
      if (is_new) statement.conditions.push_back(std::move(condition));
    }
  }
  return policy;
}

PlainPolicies random_policies(Dice& dice) {
  PlainPolicies policies;
  if (!dice.one_in(5)) policies.identity = random_policy(dice, false);
  if (dice.one_in(3)) policies.boundary = random_policy(dice, false);
  if (dice.one_in(3)) policies.session = random_policy(dice, false);
  if (!dice.one_in(3)) policies.resource = random_policy(dice, true);
  return policies;
}

// One of kPrincipalKinds.
Principal principal_of(std::size_t kind) {
  const std::string iam = "arn:aws:iam::111122223333:";
  const std::string sts = "arn:aws:sts::111122223333:";
  switch (kind) {
    case 0:
      return {iam + "user/dev", "111122223333", PrincipalKind::User, {}, {}};
    case 1:
      return {sts + "assumed-role/app/ci",
              "111122223333",
              PrincipalKind::AssumedRole,
              iam + "role/app",
              {}};
    case 2:
      return {sts + "federated-user/bob",
              "111122223333",
              PrincipalKind::FederatedUser,
              {},
              iam + "user/dev"};
    default:
      return {iam + "root", "111122223333", PrincipalKind::Root, {}, {}};
  }
}

RequestContext random_context(Dice& dice) {
  static constexpr auto kValues = std::to_array<std::string_view>(
      {"App", "app", "App#1", "true", "1.0", "10", "1970-01-01", "10.1.2.3", "192.168.1.200",
       "arn:aws:iam::1:user/a", "arn:aws:iam::1:user/App", "AQI=", "x", "*", "abpxp", "-3"});
  RequestContext context;
  for (const std::string_view name : {"Name", "list", "number", "ip", "arn"}) {
    if (dice.one_in(3)) continue;
    const bool is_list = name == "list";
    if (dice.one_in(12)) {
      context.set_unknowable(name, is_list);
    } else if (!is_list) {
      context.set(name, dice.word(kValues));
    } else {
      context.set_list(name, dice.one_in(6) ? std::vector<std::string>() : dice.words(kValues, 3));
    }
  }
  context.set("star", "*");
  return context;
}

// The documents of the plain policies, compiled.
class CompiledPolicies {
 public:
  bool add(const std::optional<PlainPolicy>& plain, PolicyKind kind,
           std::vector<const Policy*> Policies::*list) {
    if (!plain) return true;
    auto policy = compile_policy(to_document(*plain), kind);
    if (!policy) {
      std::cerr << "refused: " << policy.error().place << " " << policy.error().text << "\n";
      return false;
    }
    owned_.push_back(*std::move(policy));
    (policies_.*list).push_back(&owned_.back());
    return true;
  }

  const Policies& policies() const { return policies_; }

 private:
  std::deque<Policy> owned_;
  Policies policies_;
};

void print_difference(const PlainPolicies& plain, const Principal& principal,
                      const AccessRequest& request, Reason expected, Reason found) {
  const auto print = [](std::string_view name, const std::optional<PlainPolicy>& policy) {
    if (policy) std::cerr << name << ": " << to_document(*policy) << "\n";
  };
  print("identity", plain.identity);
  print("boundary", plain.boundary);
  print("session", plain.session);
  print("resource", plain.resource);
  std::cerr << principal.arn << " " << request.action << " " << request.resource << " of "
            << request.owner_account << "\n";
  for (const ContextKey& key : request.context.keys()) {
    std::cerr << key.name << (key.is_multi_valued ? " list" : "")
              << (key.is_unknowable ? " unknowable" : "");
    for (const std::string& value : key.values) std::cerr << " <" << value << ">";
    std::cerr << "\n";
  }
  std::cerr << "expected: " << reason_name(expected) << "\nfound: " << reason_name(found) << "\n";
}

bool compile(const PlainPolicies& plain, CompiledPolicies& compiled) {
  return compiled.add(plain.identity, PolicyKind::Identity, &Policies::identity) &&
         compiled.add(plain.boundary, PolicyKind::Identity, &Policies::boundary) &&
         compiled.add(plain.session, PolicyKind::Identity, &Policies::session) &&
         compiled.add(plain.resource, PolicyKind::Resource, &Policies::resource);
}

// Decides as the server does: what needs no context is decided once.
class Remembering {
 public:
  Decision decide(std::uint64_t caller, const Principal& principal, const PlainPolicies& plain,
                  const Policies& policies, const AccessRequest& request) {
    const std::string document = plain.resource ? to_document(*plain.resource) : std::string();
    const DecisionCache::Key key{caller, request.action, request.resource, document};
    auto decision = cache_.find(key);
    remembered_ += decision && !decision->is_context_used ? 1 : 0;
    if (!decision) {
      const RequestContext none;
      decision = evaluate(principal, policies,
                          {request.action, request.resource, request.owner_account, none});
      cache_.add(key, *decision);
    }
    return decision->is_context_used ? evaluate(principal, policies, request) : *decision;
  }

  std::uint64_t remembered() const { return remembered_; }

 private:
  DecisionCache cache_;
  std::uint64_t remembered_ = 0;
};

// One way to ask, whatever the keys of the request are.
struct Inquiry {
  explicit Inquiry(Dice& dice)
      : kind(dice.below(kPrincipalKinds)),
        action(dice.word(kAskedActions)),
        resource(dice.word(kAskedResources)),
        is_abroad(dice.one_in(3)) {}

  std::size_t kind;
  std::string action;
  std::string resource;
  bool is_abroad;
};

// All three agree about the request, with two contexts.
bool agree(Dice& dice, std::uint64_t number, const PlainPolicies& plain, const Policies& policies,
           Remembering& remembering, std::map<Reason, std::uint64_t>& reasons) {
  const Inquiry asked(dice);
  const Principal principal = principal_of(asked.kind);
  // In the server the resource says who owns it; here it may be anybody.
  const std::uint64_t caller =
      (number * kPrincipalKinds + asked.kind) * 2 + (asked.is_abroad ? 1 : 0);
  for (int i = 0; i < 2; ++i) {
    const RequestContext context = random_context(dice);
    const AccessRequest request{asked.action, asked.resource,
                                asked.is_abroad ? "444455556666" : "111122223333", context};
    const Reason expected = judge(principal, plain, request);
    const Reason found = evaluate(principal, policies, request).reason;
    const Reason known = remembering.decide(caller, principal, plain, policies, request).reason;
    if (found != expected || known != expected) {
      if (known != found) std::cerr << "what is remembered differs\n";
      print_difference(plain, principal, request, expected, found != expected ? found : known);
      return false;
    }
    ++reasons[found];
  }
  return true;
}

bool run(std::uint64_t seed, std::uint64_t steps) {
  std::cout << "access model, seed " << seed << ", " << steps << " steps" << std::endl;
  Dice dice(seed);
  std::map<Reason, std::uint64_t> reasons;
  Remembering remembering;
  std::uint64_t number = 0;
  for (std::uint64_t step = 0; step < steps; ++number) {
    PlainPolicies plain = random_policies(dice);
    // Between two versions the resource gets another policy; its callers stay.
    for (int version = 0; version < 2; ++version) {
      CompiledPolicies compiled;
      if (!compile(plain, compiled)) return false;
      for (std::uint64_t i = 0; i < kRequestsPerPolicies / 2 && step < steps; ++i, ++step) {
        if (agree(dice, number, plain, compiled.policies(), remembering, reasons)) continue;
        std::cerr << "step " << step << "\n";
        return false;
      }
      plain.resource = random_policies(dice).resource;
    }
  }
  for (const auto& [reason, count] : reasons)
    std::cout << count << ": " << reason_name(reason) << "\n";
  std::cout << remembering.remembered() << ": remembered" << std::endl;
  return steps < kSteps || remembering.remembered() > 0;
}

}  // namespace
}  // namespace stator::access::model

int main(int argc, char** argv) {
  using namespace stator::access::model;
  std::uint64_t seed = std::random_device{}();
  std::uint64_t steps = kSteps;
  if (const char* wanted = std::getenv("STATOR_MODEL_STEPS"))
    steps = std::strtoull(wanted, nullptr, 10);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--steps") steps = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return run(seed, steps) ? 0 : 1;
}

#include "server/access/decisions/authorization.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "server/access/decisions/request_facts.h"
#include "server/http/header_text.h"
#include "server/log/log.h"

namespace stator::access {

namespace {

// Policies of tables, read: reading one takes longer than evaluating it.
constexpr std::size_t kReadPoliciesMax = 200;

constexpr std::string_view kTakeAway = "dynamodb:DeleteResourcePolicy";

// Empty if the document is no policy.
std::optional<Policy> read_resource_policy(std::string_view document) {
  static std::mutex mutex;
  static std::map<std::string, std::optional<Policy>, std::less<>> known;
  const std::scoped_lock lock(mutex);
  if (const auto found = known.find(document); found != known.end()) return found->second;
  if (known.size() >= kReadPoliciesMax) known.clear();
  auto compiled = compile_policy(document, PolicyKind::Resource);
  std::optional<Policy> policy;
  if (compiled) policy = *std::move(compiled);
  return known.emplace(document, std::move(policy)).first->second;
}

// Calls `use` with the policies and the owner of the resource.
template <class Use>
auto with_policies(const Identity& identity, const Question& question, const Use& use) {
  Policies policies = policies_of(identity);
  std::optional<Policy> resource_policy;
  if (!question.resource_policy.empty()) {
    resource_policy = read_resource_policy(question.resource_policy);
    if (resource_policy) policies.resource.push_back(&*resource_policy);
  }
  return use(policies, AccessRequest{question.action, question.resource,
                                     account_of(question.resource, identity.principal.account),
                                     question.context});
}

// What the policies alone do not say. One that cannot be read may deny anything; but the owner's
// root can always take the policy of a resource away.
Decision limited(Decision decision, const Identity& identity, const Question& question) {
  const Principal& principal = identity.principal;
  if (principal.kind == PrincipalKind::Root && question.action == kTakeAway &&
      account_of(question.resource, principal.account) == principal.account)
    return {Reason::Allowed, /*is_context_used=*/false};
  const bool is_readable =
      question.resource_policy.empty() || read_resource_policy(question.resource_policy);
  if (decision.is_allowed() && !is_readable) decision.reason = Reason::ResourceDeny;
  return decision;
}

// The decision without a context, which is final unless some statement looked at it.
Decision decide_at_first(AccessControl& access, const Identity& identity,
                         const TouchedAccess& one) {
  const DecisionCache::Key key{identity.number.value(), one.action, one.resource,
                               one.resource_policy};
  if (const auto known = access.decisions().find(key)) return *known;
  const RequestContext none;
  const Decision decision = decide(identity, {one.action, one.resource, one.resource_policy, none});
  access.decisions().add(key, decision);
  return decision;
}

// The condition keys of one access: of the sender and the request, and of the access itself.
RequestContext context_of(const Sender& sender, const TouchedAccess& one,
                          const WantedKeys& wanted) {
  const Identity& identity = *sender.identity;
  RequestContext context;
  add_global_keys(context, identity, sender.request, sender.region, sender.now, wanted);
  for (const ContextKey& key : one.context.keys()) {
    if (wanted.has(key.name)) context.set(key);
  }
  constexpr std::string_view kTag = "aws:ResourceTag/";
  if (wanted.has(kTag)) {
    for (const auto& [name, value] : one.resource_tags)
      context.set(std::string(kTag).append(name), value);
  }
  constexpr std::string_view kAccount = "aws:ResourceAccount";
  if (wanted.has(kAccount))
    context.set(kAccount, account_of(one.resource, identity.principal.account));
  return context;
}

// Decides with the keys that the policies look at.
Decision decide_with_context(const Sender& sender, const TouchedAccess& one) {
  WantedKeys wanted(*sender.identity);
  std::optional<Policy> resource_policy;
  if (!one.resource_policy.empty()) resource_policy = read_resource_policy(one.resource_policy);
  if (resource_policy) wanted.add(*resource_policy);
  const RequestContext context = context_of(sender, one, wanted);
  return decide(*sender.identity, {one.action, one.resource, one.resource_policy, context});
}

void log_denial(const AccessControl& access, const std::string& text) {
  std::string line(access.enforces() ? "access denied: " : "access would be denied: ");
  log::warn(line.append(text));
}

}  // namespace

std::string_view account_of(std::string_view arn, std::string_view otherwise) {
  constexpr int kPartsBefore = 4;
  std::string_view rest = arn;
  for (int i = 0; i < kPartsBefore; ++i) next_part(rest, ':');
  const std::string_view account = next_part(rest, ':');
  return account.empty() ? otherwise : account;
}

Decision decide(const Identity& identity, const Question& question) {
  return with_policies(
      identity, question, [&](const Policies& policies, const AccessRequest& request) {
        return limited(evaluate(identity.principal, policies, request), identity, question);
      });
}

Explanation explain_decision(const Identity& identity, const Question& question) {
  return with_policies(identity, question,
                       [&](const Policies& policies, const AccessRequest& request) {
                         Explanation explanation = explain(identity.principal, policies, request);
                         explanation.decision = limited(explanation.decision, identity, question);
                         return explanation;
                       });
}

Denials denials_of(AccessControl& access, const Sender& sender,
                   const std::vector<TouchedAccess>& touched) {
  const Identity& identity = *sender.identity;
  Denials denials;
  for (const TouchedAccess& one : touched) {
    // Most policies look at no condition key, so most requests need no context.
    Decision decision = decide_at_first(access, identity, one);
    if (decision.is_context_used) decision = decide_with_context(sender, one);
    const bool is_first = access.advisor().note(identity, one.action, one.resource, one.context,
                                                decision.is_allowed(), sender.now);
    if (decision.is_allowed()) continue;
    RequestContext context = context_of(sender, one, WantedKeys());
    const std::string_view owner = account_of(one.resource, identity.principal.account);
    std::string text = denial_text(identity.principal, {one.action, one.resource, owner, context},
                                   decision.reason);
    if (is_first) log_denial(access, text);
    if (denials.request == 0) denials.request = access.denials().next_request();
    access.denials().add({sender.identity, one.action, one.resource, one.resource_policy,
                          std::move(context), text, sender.now, denials.request});
    denials.list.push_back({std::move(text), one.member});
  }
  return denials;
}

bool locks_out(const Sender& sender, const TouchedAccess& put, std::string_view document) {
  const Identity& identity = *sender.identity;
  if (identity.principal.kind == PrincipalKind::Root) return false;
  const RequestContext context = context_of(sender, put, WantedKeys());
  return !decide(identity, {put.action, put.resource, document, context}).is_allowed();
}

}  // namespace stator::access

#include "server/access/decisions/authorization.h"

#include <algorithm>
#include <array>
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

// Actions that a resource policy can allow to another account.
constexpr std::array<std::string_view, 18> kAcrossAccounts{
    "dynamodb:BatchGetItem",
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:DeleteTable",
    "dynamodb:DescribeStream",
    "dynamodb:DescribeTable",
    "dynamodb:GetItem",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListTagsOfResource",
    "dynamodb:PutItem",
    "dynamodb:Query",
    "dynamodb:Scan",
    "dynamodb:TagResource",
    "dynamodb:UntagResource",
    "dynamodb:UpdateItem",
    "dynamodb:UpdateTable",
};

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

// What the evaluation of policies alone does not know.
Decision limited(Decision decision, const Identity& identity, const Question& question) {
  if (!decision.is_allowed()) return decision;
  const bool is_foreign =
      account_of(question.resource, identity.principal.account) != identity.principal.account;
  const bool is_shared = std::find(kAcrossAccounts.begin(), kAcrossAccounts.end(),
                                   question.action) != kAcrossAccounts.end();
  if (is_foreign && !is_shared) decision.reason = Reason::NoResourceAllow;
  // A policy that cannot be read may deny anything.
  if (!question.resource_policy.empty() && !read_resource_policy(question.resource_policy))
    decision.reason = Reason::ResourceDeny;
  return decision;
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

RequestContext context_of(const RequestContext& global, const TouchedAccess& access,
                          std::string_view owner_account) {
  RequestContext context = global;
  for (const ContextKey& key : access.context.keys()) context.set(key);
  for (const auto& [name, value] : access.resource_tags) {
    std::string key("aws:ResourceTag/");
    context.set(key.append(name), value);
  }
  context.set("aws:ResourceAccount", owner_account);
  return context;
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

std::vector<Denial> denials_of(AccessControl& access, const Sender& sender,
                               const std::vector<TouchedAccess>& touched) {
  const Identity& identity = sender.identity;
  std::vector<Denial> denials;
  std::optional<RequestContext> global;
  for (const TouchedAccess& one : touched) {
    const std::string_view owner = account_of(one.resource, identity.principal.account);
    RequestContext context;
    // Most policies look at no condition key. Then the decision is the same without any.
    Decision decision = decide(identity, {one.action, one.resource, one.resource_policy, context});
    if (decision.is_context_used) {
      if (!global)
        add_global_keys(global.emplace(), identity, sender.request, sender.region, sender.now);
      context = context_of(*global, one, owner);
      decision = decide(identity, {one.action, one.resource, one.resource_policy, context});
    }
    const bool is_first = access.advisor().note(identity, one.action, one.resource, one.context,
                                                decision.is_allowed(), sender.now);
    if (decision.is_allowed()) continue;
    std::string text = denial_text(identity.principal, {one.action, one.resource, owner, context},
                                   decision.reason);
    if (is_first) log_denial(access, text);
    denials.push_back({std::move(text), one.member});
  }
  return denials;
}

}  // namespace stator::access

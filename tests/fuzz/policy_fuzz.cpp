// Any text as a policy of each kind: a fault says something, and what is read gives the same
// decision each time, which its explanation supports.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "protocol/access/evaluation.h"

namespace {

using namespace stator::access;

void demand(bool holds) {
  if (!holds) std::abort();
}

RequestContext some_context() {
  RequestContext context;
  context.set("aws:username", "dev");
  context.set("aws:SourceIp", "10.1.2.3");
  context.set("aws:CurrentTime", "2026-01-01T00:00:00Z");
  context.set("aws:PrincipalTag/tenant", "t1");
  context.set_list("dynamodb:LeadingKeys", {"t1#a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"});
  context.set_unknowable("dynamodb:Attributes", true);
  return context;
}

void judge(const Policy& policy) {
  const RequestContext context = some_context();
  const AccessRequest request{"dynamodb:GetItem",
                              "arn:aws:dynamodb:us-east-1:111122223333:table/App", "111122223333",
                              context};
  const Principal user{
      "arn:aws:iam::111122223333:user/dev", "111122223333", PrincipalKind::User, {}, {}};
  Policies policies;
  (policy.kind() == PolicyKind::Identity ? policies.identity : policies.resource) = {&policy};
  const Decision decision = evaluate(user, policies, request);
  const Explanation explanation = explain(user, policies, request);
  demand(explanation.decision.reason == decision.reason);
  demand(explanation.statements.size() == policy.statement_count());
  bool is_any_deny = false;
  for (const StatementReport& report : explanation.statements) {
    demand(report.applies == report.mismatch.empty());
    is_any_deny |= report.applies && report.is_deny;
  }
  demand(!is_any_deny || !decision.is_allowed());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const PolicyKind kind : {PolicyKind::Identity, PolicyKind::Resource, PolicyKind::Trust}) {
    const auto policy = compile_policy(text, kind);
    demand(policy || !policy.error().text.empty());
    if (!policy) continue;
    demand(policy->text() == text);
    judge(*policy);
  }
  return 0;
}

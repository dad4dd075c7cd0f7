// evaluate(): what all policies say together.
#include <span>

#include "protocol/access/evaluation.h"
#include "protocol/access/resource_scope.h"
#include "protocol/access/statement_match.h"

namespace stator::access {
namespace {

// What the policies of one type say.
struct Verdict {
  bool is_denied = false;
  bool is_allowed = false;
  PrincipalMatch allowed_as;  // by resource policies: how the statements that allow name the caller
};

class Evaluator {
 public:
  Evaluator(const Principal& principal, const Policies& policies, const AccessRequest& request)
      : policies_(policies),
        input_(principal, policies, request),
        is_own_account_(principal.account == request.owner_account) {}

  Decision decide() {
    Decision decision;
    decision.reason = reason();
    decision.is_context_used = is_context_used_;
    return decision;
  }

 private:
  Reason reason() {
    const Verdict resource = verdict_of(policies_.resource);
    if (resource.is_denied) return Reason::ResourceDeny;
    const Verdict identity = verdict_of(policies_.identity);
    if (identity.is_denied) return Reason::IdentityDeny;
    const Verdict boundary = verdict_of(policies_.boundary);
    if (boundary.is_denied) return Reason::BoundaryDeny;
    const Verdict session = verdict_of(policies_.session);
    if (session.is_denied) return Reason::SessionDeny;

    const bool is_root = input_.principal.kind == PrincipalKind::Root;
    const PrincipalMatch granted = grants(resource);
    bool has_grant = identity.is_allowed || is_root;
    if (is_own_account_) {
      if (is_root || granted.is_exact) return Reason::Allowed;
      // Naming the account alone leaves the choice to the identity policies.
      has_grant |= granted.is_source || granted.is_everybody;
    }
    if (!has_grant) return Reason::NoIdentityAllow;
    if (!is_session_open(session)) return Reason::NoSessionAllow;
    if (!policies_.boundary.empty() && !boundary.is_allowed) return Reason::NoBoundaryAllow;
    return is_own_account_ || granted.is_any() ? Reason::Allowed : Reason::NoResourceAllow;
  }

  // A federated user has what its session policies allow; without any, nothing.
  bool is_session_open(const Verdict& session) const {
    if (!policies_.session.empty()) return session.is_allowed;
    return input_.principal.kind != PrincipalKind::FederatedUser;
  }

  // How the resource's policies allow the action, if they can.
  PrincipalMatch grants(const Verdict& resource) const {
    const ResourceScope scope = resource_scope(input_.action);
    const bool counts = scope == ResourceScope::AllAccounts ||
                        (scope == ResourceScope::OwnAccount && is_own_account_);
    return counts ? resource.allowed_as : PrincipalMatch();
  }

  Verdict verdict_of(std::span<const Policy* const> policies) {
    Verdict verdict;
    for (const Policy* policy : policies) {
      for (const Statement& statement : policy->compiled().statements) {
        const bool has_principal = !statement.principals.patterns.empty();
        // One permission is enough, but of resource policies the closest counts.
        if (!statement.is_deny && verdict.is_allowed && !has_principal) continue;
        const StatementMatch match = match_statement(statement, input_);
        is_context_used_ |= match.is_context_used;
        if (!match.applies()) continue;
        if (statement.is_deny) {
          verdict.is_denied = true;
          return verdict;
        }
        verdict.is_allowed = true;
        add(match.principal, verdict.allowed_as);
      }
    }
    return verdict;
  }

  static void add(const PrincipalMatch& more, PrincipalMatch& all) {
    all.is_everybody |= more.is_everybody;
    all.is_account |= more.is_account;
    all.is_source |= more.is_source;
    all.is_exact |= more.is_exact;
  }

  const Policies& policies_;
  MatchInput input_;
  bool is_own_account_;
  bool is_context_used_ = false;
};

}  // namespace

Decision evaluate(const Principal& principal, const Policies& policies,
                  const AccessRequest& request) {
  return Evaluator(principal, policies, request).decide();
}

}  // namespace stator::access

#include "protocol/access/statement_match.h"

#include <algorithm>
#include <optional>

#include "protocol/access/language/names.h"

namespace stator::access {
namespace {

using Part = StatementMatch::Part;

bool fits_action(const Statement& statement, const MatchInput& input) {
  const auto& patterns = statement.actions.patterns;
  const bool is_any = std::any_of(
      patterns.begin(), patterns.end(),
      [&](const ActionPattern& pattern) { return matches_pattern(pattern.pattern, input.action); });
  return is_any != statement.actions.is_opposite;
}

bool fits_resource(const Statement& statement, const MatchInput& input, bool& is_context_used) {
  const auto& patterns = statement.resources.patterns;
  if (patterns.empty()) return true;  // a trust policy
  std::string buffer;
  bool is_any = false;
  for (const TextTemplate& pattern : patterns) {
    if (pattern.source() == "*") {
      is_any = true;
      break;
    }
    is_context_used |= !pattern.is_fixed();
    const auto text = pattern.expand(input.request.context, buffer);
    is_any = text && matches_arn(*text, input.resource);
    if (is_any) break;
  }
  return is_any != statement.resources.is_opposite;
}

bool fits_principal(const Statement& statement, const MatchInput& input, PrincipalMatch& match) {
  const auto& patterns = statement.principals.patterns;
  if (patterns.empty()) return true;  // an identity policy
  if (!statement.principals.is_opposite) {
    match = match_principal(patterns, input.principal);
    return match.is_any();
  }
  match.is_everybody = true;
  return !is_left_out(patterns, input.principal, statement.is_deny, input.has_boundary);
}

}  // namespace

MatchInput::MatchInput(const Principal& who, const Policies& policies, const AccessRequest& what)
    : principal(who),
      request(what),
      action(folded(what.action)),
      resource(split_arn(what.resource)),
      has_boundary(!policies.boundary.empty()) {}

StatementMatch match_statement(const Statement& statement, const MatchInput& input) {
  StatementMatch match;
  const auto fails = [&](Part part) {
    match.mismatch = part;
    return match;
  };
  if (!fits_action(statement, input)) return fails(Part::Action);
  if (!fits_principal(statement, input, match.principal)) return fails(Part::Principal);
  if (!fits_resource(statement, input, match.is_context_used)) return fails(Part::Resource);
  for (const Condition& condition : statement.conditions) {
    match.is_context_used = true;
    if (holds(condition, input.request.context, statement.is_deny)) continue;
    match.condition = &condition;
    return fails(Part::Condition);
  }
  return match;
}

}  // namespace stator::access

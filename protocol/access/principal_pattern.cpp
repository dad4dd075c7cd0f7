#include "protocol/access/principal_pattern.h"

#include "protocol/access/evaluation.h"
#include "protocol/access/language/wildcard.h"
#include "protocol/policy/policy_names.h"

namespace stator::access {

PrincipalPattern principal_pattern(std::string_view type, std::string_view text) {
  using Type = PrincipalPattern::Type;
  if (type == "Federated") return {Type::Federated, std::string(text)};
  if (type != "AWS") return {Type::Other, std::string(text)};
  if (text == "*") return {Type::Everybody, {}};
  std::string full = full_principal(text);
  const ArnParts arn = split_arn(full);
  if (arn.parts[2] == "iam" && arn.parts[5] == "root")
    return {Type::Account, std::string(arn.parts[4])};
  return {Type::Arn, std::move(full)};
}

PrincipalMatch match_principal(std::span<const PrincipalPattern> patterns,
                               const Principal& principal) {
  using Type = PrincipalPattern::Type;
  const bool is_outside = principal.kind == PrincipalKind::WebIdentity;
  PrincipalMatch match;
  for (const PrincipalPattern& pattern : patterns) {
    switch (pattern.type) {
      case Type::Everybody:
        match.is_everybody = true;
        break;
      case Type::Account:
        match.is_account |= !is_outside && pattern.text == principal.account;
        break;
      case Type::Arn:
        match.is_exact |= !is_outside && pattern.text == principal.arn;
        match.is_source |=
            (principal.kind == PrincipalKind::AssumedRole && pattern.text == principal.role_arn) ||
            (principal.kind == PrincipalKind::FederatedUser &&
             pattern.text == principal.issuer_arn);
        break;
      case Type::Federated:
        match.is_exact |= is_outside && pattern.text == principal.arn;
        break;
      case Type::Other:
        break;
    }
  }
  return match;
}

bool is_left_out(std::span<const PrincipalPattern> patterns, const Principal& principal,
                 bool is_deny, bool has_boundary) {
  const PrincipalMatch match = match_principal(patterns, principal);
  if (!is_deny) return match.is_any();
  if (has_boundary) return false;
  if (match.is_everybody) return true;
  switch (principal.kind) {
    case PrincipalKind::Root:
      return match.is_account;
    case PrincipalKind::WebIdentity:
      return match.is_exact;
    case PrincipalKind::AssumedRole:
      return match.is_account && match.is_source && match.is_exact;
    case PrincipalKind::User:
    case PrincipalKind::FederatedUser:
      return match.is_account && match.is_exact;
  }
  return false;
}

}  // namespace stator::access

// The words for decisions.
#include "protocol/access/evaluation.h"

namespace stator::access {

std::string denial_text(const Principal& principal, const AccessRequest& request, Reason reason) {
  std::string text = "User: ";
  text.append(principal.arn).append(" is not authorized to perform: ").append(request.action);
  text.append(" on resource: ").append(request.resource);
  const auto nothing_allows = [&](std::string_view type) {
    text.append(" because no ").append(type).append(" allows the ");
    text.append(request.action).append(" action");
  };
  const auto denied_in = [&](std::string_view type) {
    text.append(" with an explicit deny in ").append(type);
  };
  switch (reason) {
    case Reason::Allowed:
      break;
    case Reason::ResourceDeny:
      denied_in("a resource-based policy");
      break;
    case Reason::IdentityDeny:
      denied_in("an identity-based policy");
      break;
    case Reason::BoundaryDeny:
      denied_in("a permissions boundary");
      break;
    case Reason::SessionDeny:
      denied_in("a session policy");
      break;
    case Reason::NoIdentityAllow:
      nothing_allows("identity-based policy");
      break;
    case Reason::NoSessionAllow:
      nothing_allows("session policy");
      break;
    case Reason::NoBoundaryAllow:
      nothing_allows("permissions boundary");
      break;
    case Reason::NoResourceAllow:
      nothing_allows("resource-based policy");
      break;
  }
  return text;
}

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::Allowed:
      return "allowed";
    case Reason::ResourceDeny:
      return "a resource-based policy denies the action";
    case Reason::IdentityDeny:
      return "an identity-based policy denies the action";
    case Reason::BoundaryDeny:
      return "a permissions boundary denies the action";
    case Reason::SessionDeny:
      return "a session policy denies the action";
    case Reason::NoIdentityAllow:
      return "no identity-based policy allows the action";
    case Reason::NoSessionAllow:
      return "no session policy allows the action";
    case Reason::NoBoundaryAllow:
      return "no permissions boundary allows the action";
    case Reason::NoResourceAllow:
      return "no resource-based policy allows the action";
  }
  return {};
}

std::string_view policy_type_name(PolicyType type) {
  switch (type) {
    case PolicyType::Resource:
      return "resource-based policy";
    case PolicyType::Identity:
      return "identity-based policy";
    case PolicyType::Boundary:
      return "permissions boundary";
    case PolicyType::Session:
      return "session policy";
  }
  return {};
}

}  // namespace stator::access

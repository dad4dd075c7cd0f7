// Whether policies let a principal do something: the evaluation order of IAM for identity policies,
// permissions boundaries, session policies and resource policies, in one account or across two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/access/policy.h"
#include "protocol/access/request_context.h"

namespace stator::access {

enum class PrincipalKind : std::uint8_t {
  Root,
  User,
  AssumedRole,
  FederatedUser,
  WebIdentity,  // only for trust policies: `arn` is the identity provider (Federated)
};

// Who makes the request.
struct Principal {
  // As denials name it: arn:aws:iam::A:user/NAME, arn:aws:iam::A:root,
  // arn:aws:sts::A:assumed-role/ROLE/SESSION, arn:aws:sts::A:federated-user/NAME.
  std::string arn;
  std::string account;  // twelve digits
  PrincipalKind kind = PrincipalKind::User;
  std::string role_arn;    // AssumedRole: arn:aws:iam::A:role/ROLE, with the role's path
  std::string issuer_arn;  // FederatedUser: ARN of the user (or root) that asked for the session
};

// The policies that concern a request. They must outlive the call. Empty means that the request has
// none of this type; of each type one policy that allows is enough.
struct Policies {
  std::vector<const Policy*> identity;  // of the principal and its groups; a session's role or user
  std::vector<const Policy*> boundary;
  std::vector<const Policy*> session;
  std::vector<const Policy*> resource;  // PolicyKind::Resource, or Trust for sts:AssumeRole
};

struct AccessRequest {
  std::string_view action;         // "dynamodb:GetItem"
  std::string_view resource;       // ARN
  std::string_view owner_account;  // of the resource
  const RequestContext& context;
};

enum class Reason : std::uint8_t {
  Allowed,
  // Explicit denials, in the order in which they are looked for.
  ResourceDeny,
  IdentityDeny,
  BoundaryDeny,
  SessionDeny,
  // Implicit ones, too.
  NoIdentityAllow,
  NoSessionAllow,
  NoBoundaryAllow,
  NoResourceAllow,  // only if the resource belongs to another account
};

struct Decision {
  Reason reason = Reason::NoIdentityAllow;
  // Whether some statement looked at the context. If not, the same principal, policies, action and
  // resource have the same decision whatever the context.
  bool is_context_used = false;

  bool is_allowed() const { return reason == Reason::Allowed; }
};

Decision evaluate(const Principal& principal, const Policies& policies,
                  const AccessRequest& request);

// The message of the AccessDeniedException. REQUIRES: `reason` is a denial.
std::string denial_text(const Principal& principal, const AccessRequest& request, Reason reason);

// "no identity-based policy allows the action", …: for logs and reports.
std::string_view reason_name(Reason reason);

enum class PolicyType : std::uint8_t { Resource, Identity, Boundary, Session };
std::string_view policy_type_name(PolicyType type);  // "resource-based policy", …

// Why one statement applies to a request or not.
struct StatementReport {
  PolicyType type = PolicyType::Identity;
  std::size_t policy = 0;     // index among the policies of this type
  std::size_t statement = 0;  // index in the document
  std::string sid;            // empty: none
  bool is_deny = false;
  bool applies = false;
  // The first element that does not fit, with what the document and the request have: "Action: …",
  // "Resource: …", "Principal: …" or "StringLike KEY: …". Empty if the statement applies.
  std::string mismatch;
};

struct Explanation {
  Decision decision;
  // All statements: resource policies, then identity policies, boundaries, session policies.
  std::vector<StatementReport> statements;
};

Explanation explain(const Principal& principal, const Policies& policies,
                    const AccessRequest& request);

}  // namespace stator::access

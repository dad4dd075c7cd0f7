// Principals, policies and requests for the tests of protocol/access.
#pragma once

#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/access/evaluation.h"

namespace stator::access {

inline constexpr std::string_view kTableArn = "arn:aws:dynamodb:us-east-1:111122223333:table/App";
inline constexpr std::string_view kHome = "111122223333";
inline constexpr std::string_view kAbroad = "444455556666";

inline Principal user_of(std::string_view account) {
  Principal user;
  user.account = account;
  user.arn = "arn:aws:iam::" + user.account + ":user/dev";
  return user;
}

inline Principal session_of(std::string_view account) {
  Principal session;
  session.account = account;
  session.kind = PrincipalKind::AssumedRole;
  session.arn = "arn:aws:sts::" + session.account + ":assumed-role/app/ci";
  session.role_arn = "arn:aws:iam::" + session.account + ":role/app";
  return session;
}

inline Principal federated_of(std::string_view account) {
  Principal session;
  session.account = account;
  session.kind = PrincipalKind::FederatedUser;
  session.arn = "arn:aws:sts::" + session.account + ":federated-user/bob";
  session.issuer_arn = "arn:aws:iam::" + session.account + ":user/dev";
  return session;
}

inline Principal root_of(std::string_view account) {
  Principal root;
  root.account = account;
  root.kind = PrincipalKind::Root;
  root.arn = "arn:aws:iam::" + root.account + ":root";
  return root;
}

// A document of these statements, without brackets.
inline std::string document(std::string_view statements, std::string_view version = "2012-10-17") {
  std::string text = R"({"Version":")";
  text.append(version).append(R"(","Statement":[)").append(statements).append("]}");
  return text;
}

// Compiled documents, and the lists of them that a request has.
class PolicySet {
 public:
  PolicySet& identity(std::string_view statements) {
    return add(policies_.identity, document(statements), PolicyKind::Identity);
  }
  PolicySet& boundary(std::string_view statements) {
    return add(policies_.boundary, document(statements), PolicyKind::Identity);
  }
  PolicySet& session(std::string_view statements) {
    return add(policies_.session, document(statements), PolicyKind::Identity);
  }
  PolicySet& resource(std::string_view statements) {
    return add(policies_.resource, document(statements), PolicyKind::Resource);
  }
  PolicySet& trust(std::string_view statements) {
    return add(policies_.resource, document(statements), PolicyKind::Trust);
  }
  PolicySet& identity_document(std::string_view text) {
    return add(policies_.identity, text, PolicyKind::Identity);
  }

  const Policies& policies() const { return policies_; }

 private:
  PolicySet& add(std::vector<const Policy*>& list, std::string_view text, PolicyKind kind) {
    auto policy = compile_policy(text, kind);
    if (!policy) {
      std::string what(text);
      what.append(": ").append(policy.error().place).append(" ").append(policy.error().text);
      throw std::invalid_argument(what);
    }
    owned_.push_back(*std::move(policy));
    list.push_back(&owned_.back());
    return *this;
  }

  std::deque<Policy> owned_;
  Policies policies_;
};

struct Ask {
  std::string action = "dynamodb:GetItem";
  std::string resource = std::string(kTableArn);
  RequestContext context{};
  Principal principal = user_of(kHome);
  std::string owner = std::string(kHome);

  AccessRequest request() const { return {action, resource, owner, context}; }
};

inline Decision decide(const Ask& ask, const PolicySet& set) {
  return evaluate(ask.principal, set.policies(), ask.request());
}

inline bool is_allowed(const Ask& ask, const PolicySet& set) {
  return decide(ask, set).is_allowed();
}

}  // namespace stator::access

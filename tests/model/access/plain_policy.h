// A policy and a request as a test makes them: plain lists, which can be written as a document and
// be judged as they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/access/evaluation.h"

namespace stator::access::model {

struct PlainCondition {
  std::string op;  // as the documentation spells it
  std::string key;
  std::vector<std::string> values;
};

struct PlainStatement {
  bool is_deny = false;
  bool is_not_action = false;
  std::vector<std::string> actions;
  bool is_not_resource = false;
  std::vector<std::string> resources;
  bool is_not_principal = false;
  std::vector<std::string> principals;  // empty in identity policies
  std::vector<PlainCondition> conditions;
};

struct PlainPolicy {
  bool has_variables = true;  // Version 2012-10-17
  std::vector<PlainStatement> statements;
};

struct PlainPolicies {
  std::optional<PlainPolicy> identity;
  std::optional<PlainPolicy> boundary;
  std::optional<PlainPolicy> session;
  std::optional<PlainPolicy> resource;
};

std::string to_document(const PlainPolicy& policy);

// The reason, judged in the slowest and plainest way.
Reason judge(const Principal& principal, const PlainPolicies& policies,
             const AccessRequest& request);

}  // namespace stator::access::model

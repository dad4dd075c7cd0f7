// The compiled form of a policy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/access/policy.h"
#include "protocol/access/policy_condition.h"
#include "protocol/access/principal_pattern.h"
#include "protocol/access/text_template.h"

namespace stator::access {

// A name or a pattern, with the text of the document.
struct ActionPattern {
  std::string pattern;  // in lower case, with the wildcards of protocol/access/language/wildcard.h
  std::string source;
};

// An element or its opposite: Action or NotAction.
template <class Pattern>
struct Element {
  std::vector<Pattern> patterns;  // empty: the statement has neither
  bool is_opposite = false;
};

struct Statement {
  std::string sid;
  bool is_deny = false;
  Element<ActionPattern> actions;
  Element<TextTemplate> resources;
  Element<PrincipalPattern> principals;
  std::vector<Condition> conditions;
};

struct CompiledPolicy {
  PolicyKind kind = PolicyKind::Identity;
  std::string text;
  std::vector<Statement> statements;
  std::vector<std::string> keys;
};

}  // namespace stator::access

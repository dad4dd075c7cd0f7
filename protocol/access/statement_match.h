// Whether a statement applies to a request, and which of its elements says no.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/access/evaluation.h"
#include "protocol/access/language/wildcard.h"
#include "protocol/access/statement.h"

namespace stator::access {

// What a statement is compared with, prepared once for all statements.
struct MatchInput {
  MatchInput(const Principal& who, const Policies& policies, const AccessRequest& what);

  const Principal& principal;
  const AccessRequest& request;
  std::string action;  // in lower case
  ArnParts resource;
  bool has_boundary;
};

struct StatementMatch {
  enum class Part : std::uint8_t { None, Action, Resource, Principal, Condition };

  Part mismatch = Part::None;            // the first element that does not fit
  const Condition* condition = nullptr;  // if that is a condition
  PrincipalMatch principal;              // how the statement names the principal, if it has one
  bool is_context_used = false;

  bool applies() const { return mismatch == Part::None; }
};

StatementMatch match_statement(const Statement& statement, const MatchInput& input);

}  // namespace stator::access

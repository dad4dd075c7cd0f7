// Decides whether a principal may do what a request asks for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/operations/access/access_requests.h"
#include "engine/seams/clock.h"
#include "protocol/access/evaluation.h"
#include "server/access/access_control.h"
#include "server/access/principals/directory.h"

namespace stator::access {

// What is asked for, with all that policies may look at.
struct Question {
  std::string_view action;
  std::string_view resource;         // ARN
  std::string_view resource_policy;  // in its stored form; empty: none
  const RequestContext& context;
};

// The account in an ARN; `otherwise` if it has none.
std::string_view account_of(std::string_view arn, std::string_view otherwise);

// The context of one access: the request's `global` keys, and those of the access itself.
RequestContext context_of(const RequestContext& global, const TouchedAccess& access,
                          std::string_view owner_account);

Decision decide(const Identity& identity, const Question& question);
Explanation explain_decision(const Identity& identity, const Question& question);

// A permission that the sender lacks.
struct Denial {
  std::string text;        // of the AccessDeniedException
  std::size_t member = 0;  // of a BatchExecuteStatement
};

// Who sent a request, and what policies may ask about it.
struct Sender {
  const Identity& identity;
  const HttpRequest& request;
  std::string_view region;  // of the signature
  Timestamp now;
};

// Decides all accesses of a request, notes them for the advisor, and logs each kind of denial
// once. Returns the denials in the order of the accesses.
std::vector<Denial> denials_of(AccessControl& access, const Sender& sender,
                               const std::vector<TouchedAccess>& touched);

}  // namespace stator::access

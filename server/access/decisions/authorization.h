// Decides whether a principal may do what a request asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

Decision decide(const Identity& identity, const Question& question);
Explanation explain_decision(const Identity& identity, const Question& question);

// A permission that the sender lacks.
struct Denial {
  std::string text;        // of the AccessDeniedException
  std::size_t member = 0;  // of a BatchExecuteStatement
};

// The permissions that the sender of a request lacks.
struct Denials {
  std::vector<Denial> list = {};  // in the order of the accesses
  std::uint64_t request = 0;      // by which RecentDenials knows the request; 0: nothing is denied
};

// Who sent a request, and what policies may ask about it.
struct Sender {
  const std::shared_ptr<const Identity>& identity;
  const HttpRequest& request;
  std::string_view region;  // of the signature
  Timestamp now;
};

// Decides all accesses of a request, notes them for the advisor, remembers what is denied, and logs
// each kind of denial once.
Denials denials_of(AccessControl& access, const Sender& sender,
                   const std::vector<TouchedAccess>& touched);

// Whether the sender could not put the policy of the resource again once this document is it. The
// root always can. REQUIRES: `put` is the access of a PutResourcePolicy.
bool locks_out(const Sender& sender, const TouchedAccess& put, std::string_view document);

}  // namespace stator::access

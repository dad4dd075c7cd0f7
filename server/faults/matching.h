// Decides whether a rule fits a request. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "server/faults/fault_rule.h"
#include "server/http/http_request.h"

namespace stator::faults {

// What rules look at. Views into the request.
struct RequestFacts {
  std::string_view operation;
  Access access = Access::Read;
  Resources resources = {};
  std::string_view region = {};
  std::string_view access_key = {};
  std::optional<std::uint64_t> attempt = {};  // of the SDK, from 1; empty: not known
  bool has_token = false;                     // it is a transaction with a client token
  std::optional<bool> is_consistent = {};     // of reads of items
  const HttpRequest* head = nullptr;          // nullptr: it has no headers
};

// The name of a group, as in "reads"; empty if there is none.
std::optional<RequestGroup> find_group(std::string_view name);
// Whether a request of this kind is in the group.
bool is_in(RequestGroup group, std::string_view operation, Access access);

// Whether the rule's effect can happen to the operation. A rule does not fit the others.
bool is_possible(const FaultEffect& effect, std::string_view operation);

bool fits(const FaultRule& rule, const RequestFacts& facts);

// A number for those whose requests the rule counts together: 0 with CountBy::All, else one of the
// access key, or of the table and the values that fit the rule's key. REQUIRES: the rule fits.
std::uint64_t subject_of(const FaultRule& rule, const RequestFacts& facts);

// The operations that the rule's effect can happen to, for messages; empty: many.
std::string_view operations_of(const FaultEffect& effect);

// The parts of the batch that the rule leaves unprocessed, in order, from 0. REQUIRES: the effect
// is FaultUnprocessed.
std::vector<std::size_t> unprocessed_places(const FaultRule& rule, const RequestFacts& facts);

// The attempt in a header "attempt=1; max=3"; empty if it has none.
std::optional<std::uint64_t> attempt_in(std::string_view header);

}  // namespace stator::faults

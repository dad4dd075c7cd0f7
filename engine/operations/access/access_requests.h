// What a request asks to do, for access control: its actions, the ARNs they are on, and the
// condition keys that the service derives from the request and the table's keys. From the rows'
// `resources` (engine/operations/resources.h); computed on demand only.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/call/call.h"
#include "protocol/access/request_context.h"
#include "protocol/json/json_tree.h"

namespace stator {

class Snapshot;

// One permission that a request needs. Owns all that it has, so it outlives call and snapshot.
struct TouchedAccess {
  std::string action;    // "dynamodb:GetItem"
  std::string resource;  // a full ARN, `…:table/*` for lists, "*" for the account's own calls
  // The table of the resource; empty for lists and "*". No such table need exist.
  std::string table_arn;
  // dynamodb:*, aws:RequestTag/K and aws:TagKeys. A key of a missing table is unknowable.
  access::RequestContext context;
  // For aws:ResourceTag/K: of the table, for the table, its indexes and its streams.
  std::vector<std::pair<std::string, std::string>> resource_tags;
  // The document attached to the table (for it and its indexes) or to the stream, in its stored
  // form; empty if none.
  std::string resource_policy;
  // BatchExecuteStatement: the place of the statement, from 0, whose permission this is alone.
  // Otherwise 0: the whole request needs it.
  std::size_t member = 0;
};

// All permissions that the request needs, in the order of the request. Empty only where none of its
// statements names a table, so that all are rejected. In transactions and batches one action on one
// resource appears once, with the keys of all its items; in BatchExecuteStatement once for each
// statement. REQUIRES: the call is parsed.
std::vector<TouchedAccess> touched_accesses(const Call& call, const Snapshot& snapshot);

// The permissions that a rejected request would need, by what its body shows: partition keys are
// known where they can be read, and what the request's parameters say is unknowable. Empty if no
// table can be read. REQUIRES: parse() failed with a ValidationException.
std::vector<TouchedAccess> readable_accesses(const JsonNode& body, Call& call,
                                             const Snapshot& snapshot);

}  // namespace stator

// What a request that breaks a rule would touch, by what its body shows. Permission comes before
// such rules, so that they tell a stranger nothing.
#pragma once

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "protocol/json/json_tree.h"

namespace stator {

// The resources, without what the request's parameters say about them: conditions on such keys hold
// for none. Empty if no table can be read, and for statements. They refer to `body` and the call's
// arena. REQUIRES: the operation's parse() failed with a ValidationException.
Resources readable_resources(const JsonNode& body, Call& call);

}  // namespace stator

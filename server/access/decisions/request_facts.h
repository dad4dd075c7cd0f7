// The condition keys that every request has: about its sender, its connection and its time.
#pragma once

#include <string_view>

#include "engine/seams/clock.h"
#include "protocol/access/request_context.h"
#include "server/access/principals/directory.h"
#include "server/http/http_request.h"

namespace stator::access {

// Adds the global keys: aws:PrincipalArn, aws:SourceIp, aws:CurrentTime and the like. `now` is by
// the engine's clock.
void add_global_keys(RequestContext& context, const Identity& identity, const HttpRequest& request,
                     std::string_view region, Timestamp now);

// Those of them that need no request: about the sender, and the time.
void add_identity_keys(RequestContext& context, const Identity& identity, Timestamp now);

// What an evaluation needs of the sender.
Policies policies_of(const Identity& identity);

}  // namespace stator::access

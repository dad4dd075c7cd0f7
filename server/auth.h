// The checks of a request's signature that need no secret: that its parts are there and agree with
// each other.
//
// Any access key and Region are accepted that are printable and short enough to keep. Header and
// query form, texts and order as the service has them (conformance/observed/wire.md 5).
#pragma once

#include <optional>

#include "engine/call/call.h"
#include "engine/seams/clock.h"
#include "protocol/arena.h"
#include "protocol/result.h"
#include "server/http_request.h"

namespace stator {

// Who signed the request. The views point into the request's headers or `arena`. With `now` a
// signature more than 15 minutes off is refused (a presigned query may set its own span).
Result<Caller> authenticate(const HttpRequest& request, std::optional<Timestamp> now, Arena& arena);

}  // namespace stator

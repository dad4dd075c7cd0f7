// The body of a request without its content coding.
#pragma once

#include "protocol/errors/result.h"
#include "server/http/http_request.h"

namespace stator {

// Unpacks the body in place. Stacked content codings are not supported.
Result<void> unpack_body(HttpRequest& request);

}  // namespace stator

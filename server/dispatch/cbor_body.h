// Requests to Kinesis that speak CBOR instead of JSON, as the SDK for Java does by default. Only
// this knows of CBOR: all else sees JSON.
#pragma once

#include <string>

#include "protocol/errors/result.h"
#include "server/http/http_request.h"

namespace stator {

// Replaces the body of such a request by its JSON. REQUIRES: the body is unpacked.
Result<void> read_cbor_body(HttpRequest& request);

// The body of the answer to `request`: `json`, or its CBOR. An empty one stays empty.
std::string body_for(const HttpRequest& request, std::string json);

}  // namespace stator

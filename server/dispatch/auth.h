// Checks a request's signature without the secret: its parts must be present and consistent.
//
// Accepts any access key and Region that are printable and short enough to store. Forms, texts and
// order are the service's (conformance/observed/wire.md 5).
#pragma once

#include <optional>
#include <string_view>

#include "engine/call/call.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "server/access/signing/signature_claim.h"
#include "server/http/http_request.h"

namespace stator {

// Returns who signed the request. The views point into its headers or `arena`. With `now`, rejects
// a signature more than 15 minutes off (a presigned query may set a longer span). `service` is the
// one that the credential must name, by default the one of the target. A request with a target has
// the path "/".
inline constexpr std::string_view kDynamoDbService = "dynamodb";
inline constexpr std::string_view kLambdaService = "lambda";
inline constexpr std::string_view kKinesisService = "kinesis";
// The service of a request with a target.
std::string_view signed_service(const HttpRequest& request);
Result<Caller> authenticate(const HttpRequest& request, std::optional<Timestamp> now, Arena& arena,
                            std::string_view service = {});

// As above for a signature that will be verified: it is for `service`, and a presigned query is
// valid for the span that it sets, even a shorter one.
Result<access::SignatureClaim> read_claim(const HttpRequest& request, std::string_view service,
                                          Timestamp now, Arena& arena);

// The error of a signature that is not the request's.
Error wrong_signature(std::string_view more = {});

}  // namespace stator

// A small STS on the port of DynamoDB: GetCallerIdentity, AssumeRole, AssumeRoleWithWebIdentity,
// GetSessionToken and GetFederationToken by the query protocol.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "protocol/errors/error.h"
#include "server/access/access_control.h"
#include "server/access/principals/directory.h"
#include "server/http/http_request.h"

namespace stator::access {

inline constexpr std::string_view kStsService = "sts";

// Whether the request is for this service: a form without a target, or a presigned GET.
bool is_sts_request(const HttpRequest& request);

struct StsAnswer {
  std::uint16_t status = 200;
  std::string body;  // XML
};

// Whether it is the call that has no signature, AssumeRoleWithWebIdentity. REQUIRES:
// is_sts_request().
bool is_unsigned_sts_request(const HttpRequest& request);
StsAnswer answer_unsigned_sts(AccessControl& access, const HttpRequest& request);

// REQUIRES: is_sts_request(), and `identity` signed it. `region` is that of the signature.
StsAnswer answer_sts(AccessControl& access, const HttpRequest& request, const Identity& identity,
                     std::string_view region);

// The answers to signatures that are not in order: of their form, and of their truth.
StsAnswer sts_error_of(const Error& error);
StsAnswer sts_error_of(const SignatureRefusal& refusal, const Error& error);

}  // namespace stator::access

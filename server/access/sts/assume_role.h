// The calls of STS that begin sessions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/access/access_control.h"
#include "server/access/sts/sts_xml.h"

namespace stator::access {

struct StsError {
  std::uint16_t status = 400;
  std::string_view code = "ValidationError";
  std::string message;
};

// The content of the result, as XML. `identity` signed the request.
tl::expected<std::string, StsError> assume_role(AccessControl& access, const StsForm& form,
                                                const HttpRequest& request,
                                                const Identity& identity, std::string_view region);
// These are in session_token.cpp. Without a policy a federated user may do what resource policies
// allow it, and nothing else.
tl::expected<std::string, StsError> session_token(AccessControl& access, const StsForm& form,
                                                  const Identity& identity);
tl::expected<std::string, StsError> federation_token(AccessControl& access, const StsForm& form,
                                                     const HttpRequest& request,
                                                     const Identity& identity,
                                                     std::string_view region);

}  // namespace stator::access

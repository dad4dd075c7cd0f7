// AssumeRoleWithWebIdentity: sessions for the holders of a token of an identity provider. Nothing
// signs such a request, and the server takes the token as it is.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/access/access_control.h"
#include "server/access/sts/assume_role.h"
#include "server/access/sts/sts_xml.h"
#include "server/http/http_request.h"

namespace stator::access {

inline constexpr std::string_view kWebIdentityCall = "AssumeRoleWithWebIdentity";

// The content of the result, as XML. The claims of the token are the condition keys of the trust
// policy and of the session: ISSUER:sub, ISSUER:aud and ISSUER:amr.
tl::expected<std::string, StsError> assume_role_with_web_identity(AccessControl& access,
                                                                  const StsForm& form);

}  // namespace stator::access

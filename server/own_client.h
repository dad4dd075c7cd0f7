// OwnClient: one request to a running server, for the commands that ask one something. A
// certificate is not verified: it is the user's own server.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/http_connection.h"

namespace stator {

using OwnAnswer = HttpAnswer;

// A GET, or with a body a POST. The error says in a few words why there is no answer.
tl::expected<OwnAnswer, std::string> ask_server(const HealthOptions& server, std::string_view path,
                                                const std::string& body = {});

}  // namespace stator

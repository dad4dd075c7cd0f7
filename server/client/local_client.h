// Sends one request to a running server. Does not verify a certificate: it is the user's own
// server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/client/http_connection.h"

namespace stator {

using OwnAnswer = HttpClientResponse;

// Adds the token that a server with --auth demands from every client, if the environment has one.
void add_console_token(std::vector<HttpField>& fields);

// Sends a GET, or with a body a POST. The error says in a few words why there is no response.
tl::expected<OwnAnswer, std::string> ask_server(const HealthOptions& server, std::string_view path,
                                                const std::string& body = {});

}  // namespace stator

// OwnClient: one request to a running server, in plain synchronous steps, for the commands that
// talk to one. A certificate is not verified: it is the user's own server.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options.h"

namespace stator {

struct OwnAnswer {
  unsigned status = 0;
  std::string body;
};

// "http://localhost:8000", "https://[::1]:8000"
std::string address_text(const HealthOptions& server);

// A GET, or with a body a POST. The error says in a few words why there is no answer.
tl::expected<OwnAnswer, std::string> ask_server(const HealthOptions& server, std::string_view path,
                                                const std::string& body = {});

}  // namespace stator

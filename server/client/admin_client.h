// Asks the admin path of a running server.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"
#include "server/options/options.h"

namespace stator {

// Sends a GET, or with a body a POST, and passes the response, a JSON object, to `use`. The error
// is one line that begins with the server's address.
tl::expected<void, std::string> ask_admin(const HealthOptions& server, std::string_view path,
                                          const std::string& body,
                                          const std::function<void(const JsonNode&)>& use);

}  // namespace stator

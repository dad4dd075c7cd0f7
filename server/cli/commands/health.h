// `stator health`: sends GET /healthz to a running server.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "server/client/local_client.h"
#include "server/options/options.h"

namespace stator {

// Succeeds if the server responds with status 200 in time; the error is one line for the user. Does
// not verify the certificate: the check is for life, not for identity.
tl::expected<void, std::string> check_health(const HealthOptions& options);

// Without a chosen server, addresses the one that runs here (serving_process.h). Prints one line,
// on stdout if healthy (status 0), else on stderr (1).
int run_health(HealthOptions options);

}  // namespace stator

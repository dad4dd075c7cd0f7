// `stator health`: asks GET /healthz of a running server, by own_client.h.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "server/options.h"
#include "server/own_client.h"

namespace stator {

// Nothing when the server answers with status 200 within the time given, otherwise one line for the
// user. A certificate is not verified: the question is whether the server lives, not who it is.
tl::expected<void, std::string> check_health(const HealthOptions& options);

// Asks the server that runs here when nobody said which (serving_process.h). The exit status, after
// one line: 0 on stdout, 1 on stderr.
int run_health(HealthOptions options);

}  // namespace stator

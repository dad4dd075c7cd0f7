// The process: creates all parts, connects them, serves until a signal and shuts down.
#pragma once

#include "server/options/options.h"

namespace stator {

// Returns the exit status. A failure at start is one line on stderr.
int run_app(const Options& options);

}  // namespace stator

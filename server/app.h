// The process: makes every part, connects them, serves until a signal, takes them down again.
#pragma once

#include "server/options.h"

namespace stator {

// Returns the exit status. What goes wrong at start is one line on stderr.
int run_app(const Options& options);

}  // namespace stator

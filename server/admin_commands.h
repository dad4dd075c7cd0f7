// `stator clock` and `stator reset`: the admin path of a running server from the command line.
#pragma once

#include "server/options.h"

namespace stator {

// Asks the server that runs here when nobody said which (serving_process.h). The exit status, after
// one line: 0 on stdout, 1 on stderr.
int run_clock(ClockOptions options);
int run_reset(ResetOptions options);

}  // namespace stator

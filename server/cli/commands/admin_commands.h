// `stator clock`, `stator mark`, `stator reset`, `stator capacity` and `stator explain`: the admin
// path of a running server from the command line.
#pragma once

#include "server/options/options.h"

namespace stator {

// Without a chosen server, addresses the one that runs here (serving_process.h). Returns the exit
// status: 0 with the result on stdout, 1 with one line on stderr.
int run_clock(ClockOptions options);
int run_mark(MarkOptions options);
int run_reset(ResetOptions options);
int run_capacity(CapacityOptions options);
int run_explain(ExplainOptions options);

}  // namespace stator

// `stator clock`, `stator mark`, `stator reset`, `stator capacity` and `stator explain`: the admin
// path of a running server from the command line.
#pragma once

#include "server/options.h"

namespace stator {

// Asks the server that runs here when nobody said which (serving_process.h). The exit status, after
// what is told: 0 on stdout, 1 in one line on stderr.
int run_clock(ClockOptions options);
int run_mark(MarkOptions options);
int run_reset(ResetOptions options);
int run_capacity(CapacityOptions options);
int run_explain(ExplainOptions options);

}  // namespace stator

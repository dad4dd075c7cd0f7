// `stator fault`: the rules of a running server from the command line.
#pragma once

#include "server/cli/fault_command/fault_options.h"

namespace stator {

// Without a chosen server, addresses the one that `find` returns. Returns the exit status: 0 with
// the result on stdout, 1 with one line on stderr.
int run_fault(FaultOptions options, const FindServer& find);

}  // namespace stator

// `stator function`: runs the program of a function whose calls a server has, as often as it ends.
#pragma once

#include "server/cli/function_command/function_options.h"

namespace stator {

// Without a chosen server, uses the one that `find` returns. Returns the exit status once a signal
// has ended it: 0, or 1 if the program cannot be started.
int run_function(FunctionOptions options, const FindServer& find);

}  // namespace stator

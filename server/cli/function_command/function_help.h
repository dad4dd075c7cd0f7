// The text of `stator function --help`.
#pragma once

#include <string_view>

namespace stator {

inline constexpr std::string_view kFunctionHelp =
    R"(Runs a function's program for a server with --function NAME, and starts it again
when it ends. Usage: stator function NAME [FLAGS] -- COMMAND [ARGUMENTS]

  --processes N              processes at a time (1)
  --handler H                _HANDLER, which bootstraps of custom runtimes read
                             (the last word of the command)
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the server's answers (60)
  --help

The program gets the variables of AWS Lambda's runtimes. Its output is shown with
the id of the call. SIGINT and SIGTERM end it; after two seconds it is killed. So
is a program that goes on after the time of its call.

Exit status: 0 ended by a signal; 1 the program cannot be started.
)";

}  // namespace stator

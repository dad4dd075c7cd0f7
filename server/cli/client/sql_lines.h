// `stator sql` without a statement: a prompt, or statements from a pipe.
#pragma once

#include "server/cli/client/client_command.h"

namespace stator::client {

// Runs each line of stdin as a statement, until the end or a line `exit`. A terminal gets a prompt
// and goes on after a failure; otherwise the first failure is the end. Returns the exit status.
int run_sql_lines(const ClientOptions& options);

}  // namespace stator::client

// `stator backup`, `stator check` and `stator compact`: work on a data folder without serving it.
#pragma once

#include "server/options/options.h"

namespace stator {

// Prints one line on stdout or stderr. Returns the exit status.
int run_backup(const BackupOptions& options);
// Prints a line on stdout for each problem. Returns the exit status: 0 if there is none.
int run_check(const CheckOptions& options);
// Prints one line on stdout or stderr. Returns the exit status.
int run_compact(const CompactOptions& options);

}  // namespace stator

// `stator backup`, `stator check` and `stator compact`: what is done to a data folder without
// serving it.
#pragma once

#include "server/options.h"

namespace stator {

// The exit status, after a line on stdout or stderr.
int run_backup(const BackupOptions& options);
// The exit status: 0 when nothing is wrong. A line on stdout for each finding.
int run_check(const CheckOptions& options);
// The exit status, after a line on stdout or stderr.
int run_compact(const CompactOptions& options);

}  // namespace stator

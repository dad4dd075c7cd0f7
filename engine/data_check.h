// Whether all of a store fits together, for `stator check`.
#pragma once

#include "engine/data_folder.h"
#include "engine/storage/environment.h"
#include "protocol/result.h"

namespace stator {

// Adds what it finds to the report, a bounded number of lines. The error says that something could
// not be read, and what follows it was not looked at.
Result<void> check_data(const storage::Environment& environment, DataReport& report);

}  // namespace stator

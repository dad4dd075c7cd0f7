// Checks that all parts of a store are consistent, for `stator check`.
#pragma once

#include "engine/data_folder/data_folder.h"
#include "engine/storage/environment/environment.h"
#include "protocol/errors/result.h"

namespace stator {

// Adds its findings to the report, a bounded number of lines. The error says what could not be
// read; the check ends there.
Result<void> check_data(const storage::Environment& environment,
                        const CheckDocument& check_document, DataReport& report);

}  // namespace stator

// What an engine that opens its data begins with. Errors are one line for the user.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "engine/seams/clock.h"
#include "engine/state/catalog.h"
#include "engine/state/consumers.h"
#include "engine/storage/environment.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// All tables on disk; a damaged one refuses the start rather than hiding a table.
tl::expected<std::shared_ptr<const Catalog>, std::string> load_catalog(
    const storage::Environment& environment);

// The same as a snapshot has them.
Result<std::shared_ptr<Catalog>> read_catalog(const storage::Transaction& transaction);

// Who follows the tables.
tl::expected<std::shared_ptr<const Consumers>, std::string> load_consumers(
    const storage::Environment& environment);

// The latest time that the data tells of. Data that keeps none yet has the times of its tables.
tl::expected<Timestamp, std::string> load_time(const storage::Environment& environment,
                                               const Catalog& catalog);

}  // namespace stator

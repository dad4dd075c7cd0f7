// Loads the state of an engine that opens its data. Errors are one line for the user.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "engine/catalog/catalog.h"
#include "engine/catalog/consumers.h"
#include "engine/seams/clock.h"
#include "engine/storage/environment/environment.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// Loads all tables. A damaged description is an error, so that no table is silently lost.
tl::expected<std::shared_ptr<const Catalog>, std::string> load_catalog(
    const storage::Environment& environment);

// Reads all tables from a snapshot.
Result<std::shared_ptr<Catalog>> read_catalog(const storage::Transaction& transaction);

// Loads the consumers of all journals.
tl::expected<std::shared_ptr<const Consumers>, std::string> load_consumers(
    const storage::Environment& environment);

// The latest time in the data; without a stored one, the latest creation time of a table.
tl::expected<Timestamp, std::string> load_time(const storage::Environment& environment,
                                               const Catalog& catalog);

}  // namespace stator

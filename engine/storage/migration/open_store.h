// Opens the store for use: the environment, the migration of older data, the marks.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "engine/storage/durability/store_options.h"
#include "engine/storage/environment/environment.h"

namespace stator::storage {

// Opens or creates the data, migrates data of an older format version, and puts the marks into
// effect. The error is one line for the user.
tl::expected<std::unique_ptr<Environment>, std::string> open_store(
    const EnvironmentOptions& options);

}  // namespace stator::storage

// The command lines of what moves items in and out.
#pragma once

#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/data/dynamodb_client.h"
#include "server/options.h"

namespace stator::data {

// What follows the command. Throws CLI::Error.
tl::expected<Command, OptionsExit> read_import_options(std::span<const std::string_view> arguments);
tl::expected<Command, OptionsExit> read_export_options(std::span<const std::string_view> arguments);
tl::expected<Command, OptionsExit> read_copy_options(std::span<const std::string_view> arguments);

// The server of this process, for what it asks itself: Region and access key of the environment.
Endpoint own_endpoint(const HealthOptions& server);

}  // namespace stator::data

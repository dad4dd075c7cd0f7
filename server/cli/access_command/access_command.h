// `stator access check`: why an access file allows a request or not; `stator access why` and
// `report`.
#pragma once

#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

// Reads the `arguments` after the command. Throws CLI::Error.
tl::expected<Command, OptionsExit> read_access_command(std::span<const std::string_view> arguments);

}  // namespace stator

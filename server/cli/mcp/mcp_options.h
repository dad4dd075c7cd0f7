// The command line of `stator mcp`.
#pragma once

#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator::mcp {

// Reads the arguments after `mcp`. Throws CLI::Error.
tl::expected<Command, OptionsExit> read_mcp_command(std::span<const std::string_view> arguments);

}  // namespace stator::mcp

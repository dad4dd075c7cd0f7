// The command lines of the commands that do not serve: health, clock, mark, reset, capacity,
// explain, fault, import, export, copy, those of the client, backup, check, compact.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

// Reads the `arguments` after `command`. Empty if it is none of these commands.
std::optional<tl::expected<Command, OptionsExit>> read_small_command(
    std::string_view command, std::span<const std::string_view> arguments);

}  // namespace stator

// The command lines of what is not to serve: health, clock, mark, reset, capacity, backup, check,
// compact.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options.h"

namespace stator {

// Empty when `command` is none of them. `arguments` follow it.
std::optional<tl::expected<Command, OptionsExit>> read_small_command(
    std::string_view command, std::span<const std::string_view> arguments);

}  // namespace stator

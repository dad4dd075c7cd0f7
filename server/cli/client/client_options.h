// The command lines of the client's commands.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator::client {

inline constexpr std::array<std::string_view, 12> kCommands = {
    "tables", "describe", "create", "get",   "query",  "scan",
    "put",    "delete",   "sql",    "watch", "stream", "diff"};

// Whether the word is one of kCommands.
bool is_command(std::string_view word);

// Reads the `arguments` after `command`. Throws CLI::Error. REQUIRES: is_command(command).
tl::expected<Command, OptionsExit> read_client_options(std::string_view command,
                                                       std::span<const std::string_view> arguments);

}  // namespace stator::client

// The command line of `stator function`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

struct FunctionOptions {
  HealthOptions server;
  std::string name;
  std::string handler;  // empty: none
  unsigned processes = 1;
  std::vector<std::string> command;  // not empty
};

// Reads the `arguments` after the command. Throws CLI::Error.
tl::expected<FunctionOptions, OptionsExit> read_function_options(
    std::span<const std::string_view> arguments);

// As above, for the program.
tl::expected<Command, OptionsExit> read_function_command(
    std::span<const std::string_view> arguments);

}  // namespace stator

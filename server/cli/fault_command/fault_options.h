// The command line of `stator fault`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

struct FaultOptions {
  enum class Verb : std::uint8_t { List, Add, Remove, Clear, Preset, Wait };

  HealthOptions server;
  Verb verb = Verb::List;
  std::string name;         // of the rule, or of the preset
  std::string argument;     // of the preset; empty: none
  std::string rule;         // to add, as JSON; empty: those of `file`
  std::string file;         // JSON
  std::uint64_t fired = 1;  // the number of firings to wait for
  bool is_json = false;
};

// Reads the `arguments` after the command. Throws CLI::Error.
tl::expected<FaultOptions, OptionsExit> read_fault_options(
    std::span<const std::string_view> arguments);

// As above, for the program.
tl::expected<Command, OptionsExit> read_fault_command(std::span<const std::string_view> arguments);

}  // namespace stator

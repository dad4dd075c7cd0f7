// The command line of `stator triggers`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

struct TriggerCommandOptions {
  enum class Verb : std::uint8_t {
    List,
    Calls,
    Filtered,
    Failures,
    Settle,
    Pause,
    Step,
    Resume,
    Replay,
    Explain
  };

  HealthOptions server;
  Verb verb = Verb::List;
  std::uint64_t since = 0;
  std::uint64_t call = 0;  // to replay
  std::string pattern;     // JSON, or @ and the name of a file
  std::string record;      // as above
  bool is_json = false;
};

// Reads the `arguments` after the command. Throws CLI::Error.
tl::expected<TriggerCommandOptions, OptionsExit> read_trigger_options(
    std::span<const std::string_view> arguments);

// As above, for the program.
tl::expected<Command, OptionsExit> read_trigger_command(
    std::span<const std::string_view> arguments);

}  // namespace stator

#include "server/cli/function_command/function_options.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "server/cli/function_command/function_command.h"
#include "server/cli/function_command/function_help.h"
#include "server/options/argument_errors.h"
#include "server/options/option_values.h"
#include "server/options/server_flags.h"
#include "server/options/trigger_flags.h"

namespace stator {

namespace {

constexpr unsigned kProcessesMax = 64;
constexpr std::chrono::seconds kServerTimeout{60};

}  // namespace

tl::expected<FunctionOptions, OptionsExit> read_function_options(
    std::span<const std::string_view> arguments) {
  FunctionOptions options;
  options.server.timeout = kServerTimeout;
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  bool wants_help = false;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("NAME", options.name);
  app.add_option("--handler", options.handler);
  app.add_option("--processes", options.processes)->check(number_between(1U, kProcessesMax));
  ServerFlags server{app, options.server};
  parse_plainly(app, {arguments.begin(), end});
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kFunctionHelp}});
  if (options.name.empty()) throw CLI::ValidationError("NAME", "is missing");
  if (!is_function_name(options.name))
    throw CLI::ValidationError("'" + options.name + "' is not a name of letters, digits, - and _");
  if (end != arguments.end()) options.command.assign(end + 1, arguments.end());
  if (options.command.empty()) throw CLI::ValidationError("-- COMMAND", "is missing");
  server.finish();
  return options;
}

tl::expected<Command, OptionsExit> read_function_command(
    std::span<const std::string_view> arguments) {
  auto options = read_function_options(arguments);
  if (!options) return tl::unexpected(std::move(options).error());
  return DataCommand{[options = *std::move(options)](const FindServer& find) {
    return run_function(options, find);
  }};
}

}  // namespace stator

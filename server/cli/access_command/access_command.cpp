#include "server/cli/access_command/access_command.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/seams/clock.h"
#include "server/access/advisor/policy_formats.h"
#include "server/access/decisions/simulation.h"
#include "server/access/principals/directory_reader.h"
#include "server/cli/access_command/access_help.h"
#include "server/cli/access_command/access_report.h"
#include "server/cli/access_command/access_why.h"
#include "server/data/formats/input_file.h"
#include "server/log/say.h"
#include "server/options/argument_errors.h"
#include "server/options/option_values.h"
#include "server/options/server_flags.h"

namespace stator {

namespace {

struct AccessOptions {
  std::string file;
  std::string resource_policy_file;
  access::SimulatedRequest request;
  bool is_json = false;
};

// "KEY=VALUE", whose key may have a slash but no equals sign.
void add_context(access::RequestContext& context, const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == 0 || at == std::string::npos)
    throw CLI::ValidationError("--context", "'" + text + "' is not KEY=VALUE");
  access::add_simulated_key(context, text.substr(0, at), text.substr(at + 1));
}

// Returns the exit status: 0 allowed, 1 denied, 2 there is no decision.
int check_access(AccessOptions options) {
  constexpr int kNoDecision = 2;
  const auto failed = [](const std::string& why) {
    fail(why);
    return kNoDecision;
  };
  // No secret of the file leaves this process, so it does not matter who may read it.
  const auto directory = access::read_directory_file(options.file, /*is_insecure=*/true);
  if (!directory) return failed(directory.error());
  if (!options.resource_policy_file.empty()) {
    auto text = data::read_file(options.resource_policy_file);
    if (!text) return failed(text.error());
    options.request.resource_policy = *std::move(text);
  }
  options.request.now = SystemClock().now();
  const auto made = access::simulate(*directory, options.request);
  if (!made) return failed(made.error());
  const std::string shown =
      options.is_json ? access::simulation_json(*made) + "\n" : access::simulation_text(*made);
  std::fputs(shown.c_str(), stdout);
  return made->explanation.decision.is_allowed() ? 0 : 1;
}

// Throws CLI::Error.
tl::expected<Command, OptionsExit> read_check(const std::vector<std::string>& arguments) {
  AccessOptions options;
  std::vector<std::string> words;
  std::vector<std::string> context;
  bool wants_help = false;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("WORD", words);
  app.add_option("--principal", options.request.principal);
  app.add_option("--action", options.request.action);
  app.add_option("--resource", options.request.resource);
  app.add_option("--context", context)->expected(1)->take_all();
  app.add_option("--resource-policy", options.resource_policy_file);
  app.add_flag("--json", options.is_json);
  parse_plainly(app, arguments);
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kAccessHelp}});
  if (words.size() != 2 || words.front() != "check")
    throw CLI::ValidationError("stator access", "it is: check FILE, or: why, or: report");
  options.file = words.back();
  for (const auto& [flag, text] :
       {std::pair<const char*, const std::string*>{"--principal", &options.request.principal},
        {"--action", &options.request.action},
        {"--resource", &options.request.resource}}) {
    if (text->empty()) throw CLI::ValidationError(flag, "is missing");
  }
  for (const std::string& text : context) add_context(options.request.context, text);
  return Command{DataCommand{[options](const FindServer&) { return check_access(options); }}};
}

// Throws CLI::Error.
tl::expected<Command, OptionsExit> read_report(const std::vector<std::string>& arguments) {
  AccessReportOptions options;
  std::vector<std::string> words;
  bool wants_help = false;
  bool hides_resources = false;
  bool has_all_indexes = false;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("WORD", words);
  app.add_option("--principal", options.principal);
  app.add_option("--since", options.since);
  app.add_option("--against", options.against);
  app.add_option("--format", options.format)->check([](const std::string& name) {
    return access::policy_format_of(name) ? std::string()
                                          : "'" + name + "' is not json, terraform, cdk or sam";
  });
  app.add_flag("--denied", options.only_denied);
  app.add_flag("--no-resources", hides_resources);
  app.add_flag("--all-indexes", has_all_indexes);
  app.add_flag("--attributes", options.has_attributes);
  app.add_flag("--check", options.is_check);
  ServerFlags server{app, options.server};
  parse_plainly(app, arguments);
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kAccessHelp}});
  if (words.size() != 1) throw CLI::ValidationError("'" + words.back() + "' is too much");
  options.has_resources = !hides_resources;
  options.has_index_names = !has_all_indexes;
  const bool is_text = !options.format.empty() && options.format != "json";
  if (is_text && !options.against.empty())
    throw CLI::ValidationError("--against", "goes with --format json");
  if (options.is_check && (is_text || !options.against.empty()))
    throw CLI::ValidationError("--check", "prints lines, without --format and --against");
  server.finish();
  return Command{
      DataCommand{[options](const FindServer& find) { return run_access_report(options, find); }}};
}

// Throws CLI::Error.
tl::expected<Command, OptionsExit> read_why(const std::vector<std::string>& arguments) {
  AccessWhyOptions options;
  std::vector<std::string> words;
  bool wants_help = false;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("WORD", words);
  app.add_option("--principal", options.principal);
  app.add_option("--last", options.last)->check(CLI::Range(1, 100));
  app.add_flag("--json", options.is_json);
  ServerFlags server{app, options.server};
  parse_plainly(app, arguments);
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kAccessHelp}});
  if (words.size() > 2) throw CLI::ValidationError("'" + words.back() + "' is too much");
  if (words.size() == 2) options.request_id = words.back();
  server.finish();
  return Command{
      DataCommand{[options](const FindServer& find) { return run_access_why(options, find); }}};
}

}  // namespace

tl::expected<Command, OptionsExit> read_access_command(
    std::span<const std::string_view> arguments) {
  const std::string_view first = arguments.empty() ? std::string_view() : arguments.front();
  const std::vector<std::string> words{arguments.begin(), arguments.end()};
  if (first == "report") return read_report(words);
  return first == "why" ? read_why(words) : read_check(words);
}

}  // namespace stator

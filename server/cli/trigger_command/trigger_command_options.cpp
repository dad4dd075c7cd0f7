#include "server/cli/trigger_command/trigger_command_options.h"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/cli/trigger_command/trigger_command.h"
#include "server/cli/trigger_command/trigger_help.h"
#include "server/options/argument_errors.h"
#include "server/options/option_values.h"
#include "server/options/server_flags.h"

namespace stator {

namespace {

using Verb = TriggerCommandOptions::Verb;

constexpr std::chrono::seconds kTriggerTimeout{30};

struct TriggerVerbWord {
  std::string_view text;
  Verb verb;
  std::size_t words;  // after it
  bool has_since;
};
constexpr TriggerVerbWord kTriggerVerbs[] = {
    {"list", Verb::List, 0, false},        {"calls", Verb::Calls, 0, true},
    {"filtered", Verb::Filtered, 0, true}, {"failures", Verb::Failures, 0, true},
    {"settle", Verb::Settle, 0, false},    {"pause", Verb::Pause, 0, false},
    {"step", Verb::Step, 0, false},        {"resume", Verb::Resume, 0, false},
    {"replay", Verb::Replay, 1, false},    {"explain", Verb::Explain, 2, false},
};

const TriggerVerbWord& find_trigger_verb(const std::string& text) {
  for (const TriggerVerbWord& word : kTriggerVerbs)
    if (word.text == text) return word;
  throw CLI::ValidationError("'" + text +
                             "' is not list, calls, filtered, failures, settle, pause, step, " +
                             "resume, replay or explain");
}

}  // namespace

tl::expected<TriggerCommandOptions, OptionsExit> read_trigger_options(
    std::span<const std::string_view> arguments) {
  TriggerCommandOptions options;
  options.server.timeout = kTriggerTimeout;
  bool wants_help = false;
  std::vector<std::string> words;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("VERB", words);
  app.add_flag("--json", options.is_json);
  CLI::Option* const since = app.add_option("--since", options.since);
  ServerFlags server{app, options.server};
  parse_plainly(app, {arguments.begin(), arguments.end()});
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kTriggerHelp}});
  const TriggerVerbWord& verb = find_trigger_verb(words.empty() ? "list" : words.front());
  const std::size_t count = words.empty() ? 0 : words.size() - 1;
  if (count < verb.words) {
    throw CLI::ValidationError(std::string(verb.text), verb.verb == Verb::Replay
                                                           ? "the number of a call is missing"
                                                           : "a pattern or a record is missing");
  }
  if (count > verb.words) throw CLI::ValidationError("'" + words.back() + "' is too much");
  if (since->count() > 0 && !verb.has_since)
    throw CLI::ValidationError("--since", "goes with calls, filtered and failures");
  options.verb = verb.verb;
  if (options.verb == Verb::Explain) {
    options.pattern = std::move(words[1]);
    options.record = std::move(words[2]);
  }
  if (options.verb == Verb::Replay) {
    const std::string& text = words[1];
    const auto read = std::from_chars(text.data(), text.data() + text.size(), options.call);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || options.call == 0)
      throw CLI::ValidationError("'" + text + "' is not the number of a call");
  }
  server.finish();
  return options;
}

tl::expected<Command, OptionsExit> read_trigger_command(
    std::span<const std::string_view> arguments) {
  auto options = read_trigger_options(arguments);
  if (!options) return tl::unexpected(std::move(options).error());
  return DataCommand{[options = *std::move(options)](const FindServer& find) {
    return run_triggers(options, find);
  }};
}

}  // namespace stator

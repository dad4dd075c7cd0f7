#include "server/cli/command_line/command_options.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/api/control.h"
#include "server/cli/access_command/access_command.h"
#include "server/cli/client/client_options.h"
#include "server/cli/command_line/help_texts.h"
#include "server/cli/fault_command/fault_options.h"
#include "server/cli/function_command/function_options.h"
#include "server/cli/log_command/log_command.h"
#include "server/cli/mcp/mcp_options.h"
#include "server/cli/template_commands/template_options.h"
#include "server/cli/trigger_command/trigger_command_options.h"
#include "server/data/data_options.h"
#include "server/explain/requests/recent_requests.h"
#include "server/options/argument_errors.h"
#include "server/options/option_values.h"
#include "server/options/server_flags.h"

namespace stator {

namespace {

// Above the time that a server gives an admin verb at its default --request-timeout.
constexpr std::chrono::seconds kAdminTimeout{60};

using Arguments = std::span<const std::string_view>;

std::vector<std::string> strings(Arguments arguments) {
  return {arguments.begin(), arguments.end()};
}

// Throws CLI::Error.
tl::expected<Command, OptionsExit> read_health_options(Arguments arguments) {
  HealthOptions options;
  bool wants_help = false;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  ServerFlags flags{app, options};
  parse_plainly(app, strings(arguments));
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kHealthHelp}});
  flags.finish();
  return options;
}

// Converts the words of `stator clock` to a member of the body. Throws CLI::ValidationError.
void read_move(const std::vector<std::string>& words, ClockOptions& options) {
  const std::string verb = words.empty() ? "get" : words.front();
  const bool is_bare =
      verb == "get" || verb == "due" || verb == "now" || verb == "real" || verb == "manual";
  const bool takes_value = verb == "advance" || verb == "set" || verb == "rate";
  if (!is_bare && !takes_value)
    throw CLI::ValidationError("'" + verb +
                               "' is not get, due, now, advance, set, rate, real or manual");
  const std::size_t count = takes_value ? 2 : 1;
  if (words.size() > count) throw CLI::ValidationError("'" + words[count] + "' is too much");
  if (takes_value && words.size() < count) throw CLI::ValidationError(verb, "what to is missing");
  if (takes_value) {
    options.verb = verb;
    options.value = words[1];
  } else if (verb == "now") {
    options.verb = "set";
    options.value = verb;
  } else if (verb == "due") {
    options.verb = verb;
  } else if (verb != "get") {
    options.verb = "mode";
    options.value = verb;
  }
  double number = 0;
  if (verb == "rate" && !CLI::detail::lexical_cast(options.value, number))
    throw CLI::ValidationError("rate", "'" + options.value + "' is not a number");
}

// Reads commands that have words besides the flags that select a server; `read` interprets the
// words. Throws CLI::Error.
template <class WordedOptions, class Read>
tl::expected<Command, OptionsExit> read_worded_options(Arguments arguments, const char* words_name,
                                                       std::string_view help, const Read& read) {
  WordedOptions options;
  options.server.timeout = kAdminTimeout;
  bool wants_help = false;
  std::vector<std::string> words;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option(words_name, words);
  ServerFlags flags{app, options.server};
  parse_plainly(app, strings(arguments));
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{help}});
  read(words, options);
  flags.finish();
  return options;
}

tl::expected<Command, OptionsExit> read_clock_options(Arguments arguments) {
  return read_worded_options<ClockOptions>(arguments, "MOVE", kClockHelp, read_move);
}

// Interprets the words of `stator mark`. Throws CLI::ValidationError.
void read_mark(const std::vector<std::string>& words, MarkOptions& options) {
  const std::string verb = words.empty() ? "list" : words.front();
  const bool takes_name =
      verb == "set" || verb == "changes" || verb == "rollback" || verb == "forget";
  if (!takes_name && verb != "list")
    throw CLI::ValidationError("'" + verb + "' is not list, set, changes, rollback or forget");
  const std::size_t count = takes_name ? 2 : 1;
  if (words.size() > count) throw CLI::ValidationError("'" + words[count] + "' is too much");
  if (!takes_name) return;
  if (words.size() < count) throw CLI::ValidationError(verb, "the name of a mark is missing");
  if (!is_mark_name(words[1])) {
    throw CLI::ValidationError("'" + words[1] + "' is not a name for a mark: use 1 to " +
                               std::to_string(kMarkNameBytesMax) +
                               " of A-Z, a-z, 0-9, hyphen, underscore and dot");
  }
  options.verb = verb;
  options.name = words[1];
}

tl::expected<Command, OptionsExit> read_mark_options(Arguments arguments) {
  return read_worded_options<MarkOptions>(arguments, "VERB", kMarkHelp, read_mark);
}

// Reads commands that address a running server. `add_own` adds the command's own flags. Throws
// CLI::Error.
template <class AdminOptions, class AddOwn>
tl::expected<Command, OptionsExit> read_admin_options(Arguments arguments, std::string_view help,
                                                      AddOwn add_own) {
  AdminOptions options;
  options.server.timeout = kAdminTimeout;
  bool wants_help = false;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  add_own(app, options);
  ServerFlags flags{app, options.server};
  parse_plainly(app, strings(arguments));
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{help}});
  flags.finish();
  return options;
}

tl::expected<Command, OptionsExit> read_reset_options(Arguments arguments) {
  return read_admin_options<ResetOptions>(arguments, kResetHelp,
                                          [](CLI::App& app, ResetOptions& options) {
                                            app.add_option("--region", options.region);
                                            app.add_option("--access-key", options.access_key);
                                            app.add_flag("--streams", options.streams);
                                          });
}

tl::expected<Command, OptionsExit> read_capacity_options(Arguments arguments) {
  return read_admin_options<CapacityOptions>(arguments, kCapacityHelp,
                                             [](CLI::App& app, CapacityOptions& options) {
                                               app.add_option("--region", options.region);
                                               app.add_option("TABLE", options.table);
                                             });
}

// Allows the characters that need no escape in a request's target. CLI11 shows the returned text.
std::string check_id(const std::string& id) {
  const bool is_id =
      std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
  return is_id ? std::string() : "'" + id + "' is no x-amzn-RequestId";
}
std::string check_table(const std::string& table) {
  const bool is_table = std::all_of(table.begin(), table.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_.-:/").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return is_table ? std::string() : "'" + table + "' is no name or ARN of a table";
}

// Throws CLI::Error.
tl::expected<Command, OptionsExit> read_explain_options(Arguments arguments) {
  bool wants_hints = false;
  bool wants_all = false;
  auto command = read_admin_options<ExplainOptions>(
      arguments, kExplainHelp, [&](CLI::App& app, ExplainOptions& options) {
        app.add_option("--last", options.last)
            ->check(number_between(std::size_t{1}, kRecentKinds * kRecentRequestsMax));
        app.add_option("--table", options.table)->check(check_table);
        app.add_flag("--hints", wants_hints);
        app.add_flag("--all", wants_all);
        app.add_flag("--follow", options.follows);
        app.add_flag("--json", options.is_json);
        app.add_option("ID", options.request_id)->check(check_id);
      });
  if (!command) return command;
  auto& options = std::get<ExplainOptions>(*command);
  if (wants_hints) options.show = ExplainOptions::Show::Hints;
  if (wants_all) options.show = ExplainOptions::Show::All;
  const bool is_list =
      options.last || !options.table.empty() || wants_hints || wants_all || options.follows;
  if (!options.request_id.empty() && is_list)
    throw CLI::ValidationError("ID", "goes with --json alone");
  return command;
}

// Throws CLI::Error.
tl::expected<Command, OptionsExit> read_log_options(Arguments arguments) {
  LogOptions options;
  options.server.timeout = kAdminTimeout;
  bool wants_help = false;
  std::string form;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("--last", options.last)
      ->check(number_between(std::size_t{1}, kRecentKinds * kRecentRequestsMax));
  app.add_option("--table", options.table)->check(check_table);
  app.add_flag("-f,--follow", options.follows);
  app.add_option("--output", form);
  ServerFlags flags{app, options.server};
  parse_plainly(app, strings(arguments));
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kLogHelp}});
  if (!form.empty() && form != "text" && form != "jsonl")
    throw CLI::ValidationError("--output", "'" + form + "' is not text or jsonl");
  if (form == "text") options.form = LogOptions::Form::Text;
  if (form == "jsonl") options.form = LogOptions::Form::Json;
  flags.finish();
  return DataCommand{
      [options = std::move(options)](const FindServer& find) { return run_log(options, find); }};
}

std::string_view folder_help(std::string_view command) {
  if (command == "backup") return kBackupHelp;
  return command == "check" ? kCheckHelp : kCompactHelp;
}

// Throws CLI::Error.
tl::expected<Command, OptionsExit> read_folder_options(std::string_view command,
                                                       Arguments arguments) {
  const bool is_backup = command == "backup";
  bool wants_help = false;
  std::string folder;
  std::string source;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("DIR", folder);
  if (is_backup) app.add_option("--db-path", source)->envname("STATOR_DB_PATH");
  parse_plainly(app, strings(arguments));
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{folder_help(command)}});
  if (folder.empty()) throw CLI::ValidationError("DIR", "is missing");
  if (command == "check") return CheckOptions{std::move(folder)};
  if (command == "compact") return CompactOptions{std::move(folder)};
  if (source.empty()) throw CLI::ValidationError("--db-path", "is missing");
  return BackupOptions{std::move(source), std::move(folder)};
}

tl::expected<Command, OptionsExit> read_options(std::string_view command, Arguments arguments) {
  if (command == "health") return read_health_options(arguments);
  if (command == "clock") return read_clock_options(arguments);
  if (command == "mark") return read_mark_options(arguments);
  if (command == "reset") return read_reset_options(arguments);
  if (command == "capacity") return read_capacity_options(arguments);
  if (command == "explain") return read_explain_options(arguments);
  if (command == "log") return read_log_options(arguments);
  if (command == "fault") return read_fault_command(arguments);
  if (command == "triggers") return read_trigger_command(arguments);
  if (command == "access") return read_access_command(arguments);
  if (command == "function") return read_function_command(arguments);
  if (command == "mcp") return mcp::read_mcp_command(arguments);
  if (command == "import") return data::read_import_options(arguments);
  if (command == "export") return data::read_export_options(arguments);
  if (command == "copy") return data::read_copy_options(arguments);
  if (client::is_command(command)) return client::read_client_options(command, arguments);
  if (templates::is_template_command(command))
    return templates::read_template_options(command, arguments);
  return read_folder_options(command, arguments);
}

}  // namespace

std::optional<tl::expected<Command, OptionsExit>> read_small_command(std::string_view command,
                                                                     Arguments arguments) {
  bool is_known = client::is_command(command) || templates::is_template_command(command);
  for (const std::string_view known :
       {"health", "clock", "mark", "reset", "capacity", "explain", "log", "fault", "triggers",
        "access", "function", "mcp", "import", "export", "copy", "backup", "check", "compact"})
    is_known = is_known || command == known;
  if (!is_known) return std::nullopt;
  try {
    return read_options(command, arguments);
  } catch (const CLI::Error& error) {
    return tl::unexpected(mistake(error.what(), "stator " + std::string{command} + " --help"));
  }
}

}  // namespace stator

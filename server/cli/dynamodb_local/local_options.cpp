// See local_options.h. Wrappers of DynamoDB Local wait for the start banner.

#include "server/cli/dynamodb_local/local_options.h"

#include <charconv>
#include <optional>

#include "server/http/header_text.h"

namespace stator {

namespace {

using namespace std::chrono_literals;

// The version of DynamoDB Local whose command line this is.
constexpr std::string_view kLocalVersion = "3.3.1";
constexpr std::chrono::microseconds kTransientDelay = 3s;
constexpr const char* kCurrentFolder = ".";

constexpr std::string_view kHelp =
    R"(DynamoDB Local's command line, as Stator takes it (its own: stator --help):

  -port N                   listen on port N (8000)
  -inMemory                 keep data in memory
  -dbPath DIR               keep data in DIR (neither: the current folder)
  -sharedDb                 share tables between access keys and regions
  -cors LIST                origins of browsers, comma-separated (*); the admin
                            path is for pages of this machine until one is named
  -delayTransientStatuses   global indexes added or removed take 3 s
  -optimizeDbBeforeStartup  accepted, nothing to do
  -disableTelemetry         accepted, there is none
  -help  -version

STATOR_ variables of stator --help hold where no flag here says otherwise.
)";

struct LocalFlags {
  std::optional<std::uint16_t> port;
  std::optional<std::string> db_path;
  std::optional<std::string> cors;
  bool is_in_memory = false;
  bool is_shared = false;
  bool delays_statuses = false;
};

OptionsExit mistake(std::string text) { return {2, std::move(text)}; }

OptionsExit mistake(std::string_view text, std::string_view argument) {
  return mistake(std::string{"Error while parsing options. "}.append(text).append(argument));
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), port);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return port;
}

tl::expected<LocalFlags, OptionsExit> read_flags(std::span<const std::string_view> arguments) {
  LocalFlags flags;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view flag = arguments[i];
    if (flag == "-inMemory") {
      flags.is_in_memory = true;
    } else if (flag == "-sharedDb") {
      flags.is_shared = true;
    } else if (flag == "-delayTransientStatuses") {
      flags.delays_statuses = true;
    } else if (flag == "-port" || flag == "-dbPath" || flag == "-cors") {
      if (i + 1 == arguments.size()) {
        return tl::unexpected(mistake("Missing argument for option: ", flag.substr(1)));
      }
      const std::string_view value = arguments[++i];
      if (flag == "-dbPath") flags.db_path = value;
      if (flag == "-cors") flags.cors = value;
      if (flag == "-port") {
        flags.port = parse_port(value);
        if (!flags.port) return tl::unexpected(mistake("Not a port: ", value));
      }
    } else if (flag == "-help" || flag == "-h") {
      return tl::unexpected(OptionsExit{0, std::string{kHelp}});
    } else if (flag == "-version") {
      return tl::unexpected(OptionsExit{0, std::string{kLocalVersion} + "\n"});
    } else if (flag.starts_with("--")) {
      return tl::unexpected(mistake(
          std::string{"DynamoDB Local's flags (one dash) and Stator's own (two) cannot be mixed: "}
              .append(flag)));
    } else if (flag != "-optimizeDbBeforeStartup" && flag != "-disableTelemetry") {
      return tl::unexpected(mistake("Unrecognized option: ", flag));
    }
  }
  return flags;
}

// Shows the final values, whether from a flag, the environment or a default.
std::string banner_of(const LocalFlags& flags, const Options& options) {
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  const auto& folder = options.settings.storage.folder;
  const bool is_folder_named = flags.db_path || (folder && *folder != kCurrentFolder);
  std::string out = "Initializing DynamoDB Local with the following configuration:\n";
  const auto line = [&out](std::string_view name, std::string_view value) {
    out.append(name).append(":\t").append(value).append("\n");
  };
  line("Port", std::to_string(options.port));
  line("InMemory", truth(!folder));
  line("Version", kLocalVersion);
  line("DbPath", is_folder_named ? folder->string() : "null");
  line("SharedDb", truth(options.settings.isolation == Isolation::None));
  line("shouldDelayTransientStatuses", truth(flags.delays_statuses));
  line("CorsParams", flags.cors.value_or("null"));
  return out + "\n";
}

}  // namespace

bool is_local_style(std::span<const std::string_view> arguments) {
  for (const std::string_view argument : arguments) {
    const bool has_letter =
        argument.size() > 2 && to_lower(argument[1]) >= 'a' && to_lower(argument[1]) <= 'z';
    if (has_letter && argument[0] == '-') return true;
  }
  return false;
}

Options options_in_its_place() {
  Options options;
  options.host = "*";
  // Tools kill their server and start the next one on the same port and folder at once. A Java
  // machine starts too slowly to meet the old one.
  options.port_patience = 1s;
  options.settings.storage.lock_patience = 1s;
  options.root_answer = RootAnswer::MissingToken;
  options.origins.origins = "*";
  return options;
}

Options local_defaults() {
  Options options = options_in_its_place();
  options.settings.storage.folder = kCurrentFolder;
  options.settings.isolation = Isolation::Key;
  options.settings.has_local_texts = true;
  return options;
}

tl::expected<Options, OptionsExit> parse_local_options(std::span<const std::string_view> arguments,
                                                       Options options) {
  const auto flags = read_flags(arguments);
  if (!flags) return tl::unexpected(flags.error());
  if (flags->is_in_memory && flags->db_path) {
    return tl::unexpected(mistake("dbPath and inMemory cannot be set at the same time."));
  }
  if (flags->port) options.port = *flags->port;
  if (flags->cors) options.origins.origins = *flags->cors;
  if (flags->is_in_memory) options.settings.storage.folder.reset();
  if (flags->db_path) options.settings.storage.folder = *flags->db_path;
  if (flags->is_shared) options.settings.isolation = Isolation::None;
  if (flags->delays_statuses) options.settings.index_delay = kTransientDelay;
  options.banner = banner_of(*flags, options);
  const auto add_given = [&options](bool is_given, const char* name) {
    if (!is_given) return;
    std::erase_if(options.given, [name](const GivenFlag& flag) { return flag.name == name; });
    options.given.push_back({name, /*is_variable=*/false});
  };
  add_given(flags->port.has_value(), "port");
  add_given(flags->cors.has_value(), "cors");
  add_given(flags->is_in_memory || flags->db_path, "db-path");
  add_given(flags->is_shared, "isolate");
  return options;
}

}  // namespace stator

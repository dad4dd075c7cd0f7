// CLI11 reads the flags; the help is written by hand so that it fits on a screen.

#include "server/cli/command_line/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/call/settings.h"
#include "engine/schema/stream.h"
#include "engine/seams/iso_time.h"
#include "server/cli/client/client_options.h"
#include "server/cli/command_line/command_options.h"
#include "server/cli/command_line/help_texts.h"
#include "server/cli/dynamodb_local/java_launcher.h"
#include "server/cli/dynamodb_local/local_options.h"
#include "server/explain/requests/recent_requests.h"
#include "server/options/argument_errors.h"
#include "server/options/capacity_parameters.h"
#include "server/options/flag_words.h"
#include "server/options/option_values.h"
#include "server/options/server_flags.h"
#include "server/options/trigger_flags.h"
#include "server/options/version.h"

namespace stator {

namespace {

constexpr unsigned kThreadsDefaultMax = 4;
constexpr unsigned kThreadsMax = 64;
constexpr std::size_t kConnectionsMax = 1'000'000;
constexpr std::chrono::seconds kStreamRolloverMin{1};
constexpr std::size_t kMapBytesMin = std::size_t{1} << 20;
constexpr std::size_t kMemoryBytesMin = std::size_t{32} << 20;

// Half of the cores: the other half is for clients, long reads and the disk. With two cores, one
// thread beats two, which a load on the same machine keeps interrupting.
unsigned default_threads() {
  return std::clamp(std::thread::hardware_concurrency() / 2, 1U, kThreadsDefaultMax);
}

// A token goes into the fragment of a URL, and must be hard to guess.
bool is_console_token(std::string_view text) {
  constexpr std::size_t kCharsMin = 16;
  constexpr std::size_t kCharsMax = 128;
  constexpr std::string_view kChars =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return text == kNoConsoleToken || (text.size() >= kCharsMin && text.size() <= kCharsMax &&
                                     text.find_first_not_of(kChars) == std::string_view::npos);
}

// Parses "real", "manual", or the start time of a manual clock. Throws CLI::ValidationError.
ClockChoice parse_clock(const std::string& text) {
  if (text == "real") return {.stands = false, .at = {}};
  if (text == "manual") return {.stands = true, .at = {}};
  const auto at = parse_iso_extended(text);
  if (at && *at >= Timestamp{} && *at <= MovableClock::kEnd) return {.stands = true, .at = at};
  throw CLI::ValidationError("'" + text + "' is not real, manual or a time in the years 1970 to " +
                             "9999 such as 2027-01-01T00:00:00Z");
}

// Throws CLI::ValidationError.
std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size())
    throw CLI::ValidationError("'" + text + "' is not a whole number of at most 64 bits");
  return seed;
}

// Stator's own command line. CLI11 calls the lambdas after it has read all flags; what they capture
// must live as long as the parser.
class Parser {
 public:
  // `defaults` apply where neither a flag nor a variable sets a value.
  explicit Parser(Options defaults) : options_{std::move(defaults)} {
    app_.set_help_flag();
    app_.add_flag("-h,--help", wants_help_);
    app_.add_flag("-V,--version", wants_version_);
    app_.add_flag("--check-signature-age", options_.checks_signature_age)
        ->envname("STATOR_CHECK_SIGNATURE_AGE");
    app_.add_flag("--access-file-insecure", options_.is_access_file_insecure)
        ->envname("STATOR_ACCESS_FILE_INSECURE");
    add("access-file", options_.access_file);
    add("access-report", options_.access_report_file);
    options_.threads = default_threads();
    add_values();
    add_faults();
    add_triggers();
    add_words();
  }

  // Throws CLI::Error.
  tl::expected<Options, OptionsExit> parse(const std::vector<std::string>& arguments) {
    parse_plainly(app_, arguments);
    if (wants_help_) return tl::unexpected(OptionsExit{0, std::string{kHelp}});
    if (wants_version_) return tl::unexpected(OptionsExit{0, version_text() + "\n"});
    check_tls();
    check_seed();
    check_s3();
    check_faults();
    check_access();
    options_.warnings = warnings_of_variables(app_);
    options_.given = given_flags(arguments);
    return options_;
  }

 private:
  // The flags that have a value from `arguments` or the environment. CLI11 reads both alike.
  std::vector<GivenFlag> given_flags(const std::vector<std::string>& arguments) const {
    std::vector<GivenFlag> given;
    for (const CLI::Option* const option : app_.get_options()) {
      const std::string name = option->get_name();  // --db-path
      if (option->count() == 0 || !name.starts_with("--")) continue;
      const bool is_argument =
          std::any_of(arguments.begin(), arguments.end(), [&name](const std::string& argument) {
            return argument == name || argument.starts_with(name + "=");
          });
      given.push_back({name.substr(2), !is_argument});
    }
    return given;
  }

  // Adds an option and its environment variable, such as --db-path and STATOR_DB_PATH.
  template <class T>
  CLI::Option* add(const std::string& name, T& target) {
    std::string variable = "STATOR_";
    for (const char c : name) {
      variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    }
    return app_.add_option("--" + name, target)->envname(variable);
  }

  template <class T, std::size_t N>
  void add_word(const std::string& name, const Word<T> (&words)[N], T& target) {
    take_word(*add(name, texts_.emplace_back()), words, target);
  }

  template <class Duration>
  void add_seconds(const std::string& name, double seconds_min, Duration& target) {
    double& seconds = seconds_.emplace_back();
    add(name, seconds)->each([seconds_min, &target](const std::string& text) {
      target = parse_seconds<Duration>(text, seconds_min);
    });
  }

  void add_values() {
    add("host", options_.host);
    add("port", options_.port)->check(number_between(0, 65535));
    add("threads", options_.threads)->check(number_between(1U, kThreadsMax));
    add("max-connections", options_.connections_max)
        ->check(number_between(std::size_t{1}, kConnectionsMax));
    add_explain();
    add("db-path", texts_.emplace_back())->each([this](const std::string& text) {
      options_.settings.storage.folder = text;
    });
    add("seed", options_.seed_path);
    add_s3();
    add("max-bytes", texts_.emplace_back())->each([this](const std::string& text) {
      options_.settings.storage.map_bytes_max = parse_bytes(text, kMapBytesMin, "1M");
    });
    add("max-memory", texts_.emplace_back())->each([this](const std::string& text) {
      options_.memory_bytes_max = parse_bytes(text, kMemoryBytesMin, "32M");
    });
    add("item-collection-limit", texts_.emplace_back())->each([this](const std::string& text) {
      options_.settings.item_collection_bytes_max =
          static_cast<std::int64_t>(std::min<std::size_t>(parse_bytes(text, 1, "1"), INT64_MAX));
    });
    add("account-id", options_.settings.account_id)->each([](const std::string& text) {
      if (text.size() != 12 || text.find_first_not_of("0123456789") != std::string::npos) {
        throw CLI::ValidationError("'" + text + "' is not 12 digits");
      }
    });
    add("clock", texts_.emplace_back())->each([this](const std::string& text) {
      options_.settings.clock = parse_clock(text);
    });
    add_seconds("control-plane-delay", 0, options_.settings.control_plane_delay);
    add_seconds("gsi-delay", 0, options_.settings.gsi_delay);
    add_seconds("eventual-read-lag", 0, options_.settings.eventual_read_lag);
    add_seconds("ttl-delay", 0, options_.settings.ttl_delay);
    add_seconds("transaction-time", 0, options_.settings.transaction_time);
    add_seconds("policy-lag", 0, options_.settings.policy_lag);
    add_seconds("ttl-sweep-interval", 0, options_.settings.ttl_sweep_interval);
    add_seconds("ttl-cooldown", 0, options_.settings.ttl_cooldown);
    add_streams();
    add_pages();
    add("capacity", texts_.emplace_back())->each([this](const std::string& text) {
      auto parameters = std::make_shared<capacity::CapacityParameters>(*options_.settings.capacity);
      if (const auto read = read_capacity_parameters(text, *parameters); !read)
        throw CLI::ValidationError("--capacity", read.error());
      options_.settings.capacity = std::move(parameters);
    });
    add_seconds("sync-interval", kTimeoutMin_s, options_.settings.storage.sync_interval);
    add_seconds("idle-timeout", kTimeoutMin_s, options_.idle_timeout);
    add_seconds("request-timeout", kTimeoutMin_s, options_.request_timeout);
    add("log-slow", seconds_.emplace_back())->each([this](const std::string& text) {
      options_.slow_request = parse_seconds<std::chrono::microseconds>(text, 0);
    });
    add("tls-cert", options_.tls.certificate_file);
    add("tls-key", options_.tls.key_file);
    add("tls-cert-out", options_.tls.certificate_out);
    add("tls", texts_.emplace_back())
        ->check(one_of({"self-signed"}))
        ->each([this](const std::string&) { options_.tls.is_self_signed = true; });
  }

  void add_explain() {
    add("explain", options_.requests_kept)
        ->check(number_between(std::size_t{0}, kRecentRequestsMax));
    add("explain-bytes", options_.explain_bytes)
        ->check(number_between(kExplainBytesMin, kExplainBytesMax));
  }

  void add_faults() {
    add("faults", texts_.emplace_back())->each([this](const std::string& text) {
      options_.has_faults = text != "off";
      options_.faults_file = text == "off" || text == "on" ? "" : text;
    });
    add("fault-seed", texts_.emplace_back())->each([this](const std::string& text) {
      options_.fault_seed = parse_seed(text);
    });
  }

  // Calls `take` with each value of a flag that may be given more than once. The variable has them
  // with blanks between.
  void add_several(const std::string& name, const std::function<void(const std::string&)>& take) {
    add(name, lists_.emplace_back())
        ->allow_extra_args(false)
        ->each([take](const std::string& text) {
          std::istringstream words(text);
          for (std::string word; words >> word;) take(word);
        });
  }

  void add_triggers() {
    TriggerOptions& triggers = options_.triggers;
    add_several("function", [&triggers](const std::string& text) {
      triggers.functions.push_back(parse_function(text));
      triggers.function_texts.push_back(text);
    });
    add("function-default", triggers.default_text)->each([&triggers](const std::string& text) {
      triggers.function_default = parse_default_function(text);
    });
    add_several("function-destination", [&triggers](const std::string& text) {
      triggers.sinks.push_back(parse_failure_sink(text));
      triggers.sink_texts.push_back(text);
    });
    app_.add_flag("--lambda-strict", triggers.is_strict)->envname("STATOR_LAMBDA_STRICT");
    add_seconds("lambda-retry-backoff", 0, triggers.retry_backoff);
  }

  void add_pages() {
    add("console-token", options_.console_token)->each([](const std::string& text) {
      if (is_console_token(text)) return;
      throw CLI::ValidationError("'" + text + "' is neither none nor 16 to 128 letters, digits, " +
                                 "_ or -");
    });
    add("cors", options_.origins.origins);
    add("allow-host", options_.origins.hosts);
  }

  void add_s3() {
    add("s3-root", options_.s3_root);
    add("s3-endpoint", texts_.emplace_back())->each([this](const std::string& text) {
      read_endpoint(text, "--s3-endpoint", options_.s3_server.emplace());
    });
    add_seconds("s3-timeout", kTimeoutMin_s, options_.s3_timeout);
    add("kinesis-endpoint", texts_.emplace_back())->each([this](const std::string& text) {
      read_endpoint(text, "--kinesis-endpoint", options_.kinesis_server.emplace());
      options_.settings.has_kinesis_server = true;
    });
  }

  void add_streams() {
    StreamLimits& streams = options_.settings.streams;
    add("stream-shards", streams.shards)->check(number_between(std::size_t{1}, kOpenShardsMax));
    add_seconds("stream-retention", kTimeoutMin_s, streams.retention);
    add("stream-rollover", seconds_.emplace_back())->each([&streams](const std::string& text) {
      streams.rollover_after = parse_seconds<std::chrono::microseconds>(text, 0);
      if (streams.rollover_after.count() > 0 && streams.rollover_after < kStreamRolloverMin)
        throw CLI::ValidationError("'" + text + "' is too short a time");
    });
    add("stream-max-bytes", texts_.emplace_back())->each([&streams](const std::string& text) {
      streams.bytes_max = parse_bytes(text, kMapBytesMin, "1M");
    });
    Settings& settings = options_.settings;
    add("pitr-max-bytes", texts_.emplace_back())->each([&settings](const std::string& text) {
      settings.history_bytes_max = parse_bytes(text, kMapBytesMin, "1M");
    });
    add_seconds("pitr-lag", 0, settings.history_lag);
  }

  void add_words() {
    add_word("sync", kSyncs, options_.settings.storage.sync);
    add_word("error-wording", kWordings, options_.settings.error_wording);
    add_word("isolate", kIsolations, options_.settings.isolation);
    add_word("throttling", kThrottlings, options_.settings.throttling);
    add_word("admin", kSwitches, options_.has_admin_path);
    add_word("console", kSwitches, options_.has_console);
    add_word("http-root", kRootAnswers, options_.root_answer);
    add_word("auth", kAuthModes, options_.auth);
    add_word("log-level", kLevels, options_.log_level);
    add_word("log-format", kFormats, options_.log_format);
  }

  void check_tls() const {
    if (options_.tls.certificate_file.empty() != options_.tls.key_file.empty()) {
      throw CLI::ValidationError("--tls-cert and --tls-key", "one needs the other");
    }
    if (options_.tls.is_self_signed && !options_.tls.certificate_file.empty()) {
      throw CLI::ValidationError("--tls self-signed", "not together with --tls-cert");
    }
    if (!options_.tls.certificate_out.empty() && !options_.tls.is_self_signed)
      throw CLI::ValidationError("--tls-cert-out", "only together with --tls self-signed");
  }

  void check_seed() const {
    const bool stands = options_.settings.clock.stands.value_or(false);
    if (!options_.seed_path.empty() && stands && options_.settings.control_plane_delay.count() > 0)
      throw CLI::ValidationError(
          "--seed",
          "its tables would stay CREATING: a clock that stands, and --control-plane-delay");
  }

  void check_s3() const {
    if (options_.s3_server && !options_.s3_root.empty())
      throw CLI::ValidationError("--s3-endpoint", "not together with --s3-root");
  }

  void check_faults() const {
    if (!options_.has_admin_path && !options_.faults_file.empty())
      throw CLI::ValidationError("--faults", "its rules need --admin on");
  }

  void check_access() const {
    const bool is_on = options_.auth != AuthMode::Off;
    const bool needs_keys = options_.auth == AuthMode::Signature || options_.auth == AuthMode::Iam;
    if (needs_keys && options_.access_file.empty())
      throw CLI::ValidationError("--auth", "needs the keys of an --access-file");
    if (!is_on && !options_.access_file.empty())
      throw CLI::ValidationError("--access-file", "needs --auth signature, iam or audit");
  }

  CLI::App app_;
  Options options_;
  bool wants_help_ = false;
  bool wants_version_ = false;
  std::deque<std::string> texts_;
  std::deque<double> seconds_;
  std::deque<std::vector<std::string>> lists_;
};

OptionsExit no_such_command(std::string_view word) {
  std::vector<std::string> commands = {"serve",    "health",   "clock",  "mark",   "reset",
                                       "capacity", "explain",  "log",    "fault",  "triggers",
                                       "access",   "function", "import", "export", "copy",
                                       "apply",    "schema",   "mcp"};
  commands.insert(commands.end(), client::kCommands.begin(), client::kCommands.end());
  commands.insert(commands.end(), {"backup", "check", "compact", "version", "help"});
  std::string text = "no such command: " + std::string{word};
  const std::string meant = did_you_mean(word, commands);
  if (!meant.empty()) return mistake(text + meant);
  text += ", there are ";
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i > 0) text += i + 1 == commands.size() ? " and " : ", ";
    text += commands[i];
  }
  return mistake(text);
}

tl::expected<Options, OptionsExit> parse_own_options(std::span<const std::string_view> arguments,
                                                     Options defaults) {
  if (!arguments.empty() && arguments.front() == "serve") {
    arguments = arguments.subspan(1);
  } else if (!arguments.empty() && !arguments.front().starts_with('-')) {
    return tl::unexpected(no_such_command(arguments.front()));
  }
  try {
    return Parser{std::move(defaults)}.parse({arguments.begin(), arguments.end()});
  } catch (const CLI::Error& error) {
    return tl::unexpected(mistake(error.what()));
  }
}

}  // namespace

tl::expected<Command, OptionsExit> parse_command(int argc, const char* const* argv) {
  std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments.front() == "help") {  // as git has it: help clock
    arguments.erase(arguments.begin());
    if (arguments.size() > 1) return tl::unexpected(mistake("help takes one command"));
    if (arguments.empty() || arguments.front() == "serve" || arguments.front() == "help")
      return tl::unexpected(OptionsExit{0, std::string{kHelp}});
    arguments.emplace_back("--help");
    if (auto help = read_small_command(arguments.front(), std::span{arguments}.subspan(1)))
      return *std::move(help);
    return tl::unexpected(no_such_command(arguments.front()));
  }
  const std::string_view command = arguments.empty() ? std::string_view{} : arguments.front();
  if (auto read =
          read_small_command(command, std::span{arguments}.subspan(command.empty() ? 0 : 1)))
    return *std::move(read);
  if (command == "version") {
    if (arguments.size() > 1) return tl::unexpected(mistake("version takes nothing else"));
    return tl::unexpected(OptionsExit{0, version_text() + "\n"});
  }
  auto options = parse_options(argc, argv);
  if (!options) return tl::unexpected(std::move(options).error());
  return *std::move(options);
}

tl::expected<Options, OptionsExit> parse_options(int argc, const char* const* argv) {
  const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
  const bool is_java = argc > 0 && is_java_name(argv[0]);
  const bool needs_jar = is_java && !begins_own_command_line(arguments);
  if (!needs_jar && !is_local_style(arguments)) {
    Options defaults;
    if (is_java) defaults = options_in_its_place();
    return parse_own_options(arguments, std::move(defaults));
  }
  const auto local = needs_jar ? behind_java(arguments) : behind_optional_java(arguments);
  if (!local) return tl::unexpected(local.error());
  auto from_environment = parse_own_options({}, local_defaults());
  if (!from_environment) return from_environment;
  return parse_local_options(*local, *std::move(from_environment));
}

}  // namespace stator

// See options.h. CLI11 reads the flags; the help is written by hand so that it fits on a screen.

#include "server/options.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/schema/stream.h"
#include "server/capacity_parameters.h"
#include "server/command_mistakes.h"
#include "server/command_options.h"
#include "server/dynamodb_local/java_launcher.h"
#include "server/dynamodb_local/local_options.h"
#include "server/explain/recent_requests.h"
#include "server/help_texts.h"
#include "server/iso_time.h"
#include "server/option_values.h"

namespace stator {

namespace {

constexpr unsigned kThreadsDefaultMax = 4;
constexpr unsigned kThreadsMax = 64;
constexpr std::size_t kConnectionsMax = 1'000'000;
constexpr std::chrono::seconds kStreamRolloverMin{1};
constexpr std::size_t kMapBytesMin = std::size_t{1} << 20;
constexpr std::size_t kMemoryBytesMin = std::size_t{32} << 20;

// A word of a flag and what it stands for.
template <class T>
struct Word {
  std::string_view text;
  T value;
};

constexpr Word<storage::Sync> kSyncs[] = {{"commit", storage::Sync::Commit},
                                          {"lazy", storage::Sync::Lazy}};
constexpr Word<Profile> kWordings[] = {
    {"current", Profile::Current}, {"classic", Profile::Classic}, {"next", Profile::Next}};
constexpr Word<Isolation> kIsolations[] = {
    {"region", Isolation::Region}, {"none", Isolation::None}, {"key", Isolation::Key}};
constexpr Word<Throttling> kThrottlings[] = {
    {"off", Throttling::Off}, {"observe", Throttling::Observe}, {"enforce", Throttling::Enforce}};
constexpr Word<RootAnswer> kRootAnswers[] = {{"aws", RootAnswer::Healthy},
                                             {"local", RootAnswer::MissingToken}};
constexpr Word<bool> kSwitches[] = {{"on", true}, {"off", false}};
constexpr Word<log::Format> kFormats[] = {{"text", log::Format::Text}, {"json", log::Format::Json}};
constexpr Word<log::Level> kLevels[] = {{"trace", log::Level::Trace}, {"debug", log::Level::Debug},
                                        {"info", log::Level::Info},   {"warn", log::Level::Warn},
                                        {"error", log::Level::Error}, {"off", log::Level::Off}};

// Half of the cores: the other half is for clients, long reads and the disk. With two cores one
// thread beats two, which a load beside them keeps interrupting.
unsigned default_threads() {
  return std::clamp(std::thread::hardware_concurrency() / 2, 1U, kThreadsDefaultMax);
}

// "16", "64K", "2G" in bytes. `min_text` is the least size accepted, `size_min`, as such a text.
// Throws CLI::ValidationError.
std::size_t parse_bytes(const std::string& text, std::size_t size_min, std::string_view min_text) {
  constexpr std::string_view kSuffixes = "KMGT";
  std::size_t digits = 0;
  std::size_t value = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && digits < 15) {
    value = value * 10 + static_cast<std::size_t>(text[digits++] - '0');
  }
  const std::string_view suffix = std::string_view{text}.substr(digits);
  const std::size_t place = suffix.size() == 1 ? kSuffixes.find(suffix[0]) : std::string_view::npos;
  const bool is_readable = digits > 0 && (suffix.empty() || place != std::string_view::npos);
  const std::size_t shift = suffix.empty() ? 0 : 10 * (place + 1);
  if (!is_readable || value > (SIZE_MAX >> shift) || (value << shift) < size_min) {
    throw CLI::ValidationError("'" + text + "' is not a size of at least " + std::string(min_text));
  }
  return value << shift;
}

// "real", "manual", or the time that a manual clock shows first. Throws CLI::ValidationError.
ClockChoice parse_clock(const std::string& text) {
  if (text == "real") return {.stands = false, .at = {}};
  if (text == "manual") return {.stands = true, .at = {}};
  const auto at = parse_iso_extended(text);
  if (at && at->unix_us >= 0) return {.stands = true, .at = at};
  throw CLI::ValidationError("'" + text + "' is not real, manual or a time since 1970 such as " +
                             "2027-01-01T00:00:00Z");
}

// Stator's own command line. CLI11 calls the lambdas after all flags were read; what they capture
// lives as long as the parser.
class Parser {
 public:
  // `defaults` holds what applies where neither a flag nor a variable says anything.
  explicit Parser(Options defaults) : options_{std::move(defaults)} {
    app_.set_help_flag();
    app_.add_flag("-h,--help", wants_help_);
    app_.add_flag("-V,--version", wants_version_);
    app_.add_flag("--check-signature-age", options_.checks_signature_age)
        ->envname("STATOR_CHECK_SIGNATURE_AGE");
    options_.threads = default_threads();
    add_values();
    add_words();
  }

  // Throws CLI::Error.
  tl::expected<Options, OptionsExit> parse(const std::vector<std::string>& arguments) {
    parse_plainly(app_, arguments);
    if (wants_help_) return tl::unexpected(OptionsExit{0, std::string{kHelp}});
    if (wants_version_) return tl::unexpected(OptionsExit{0, version_text() + "\n"});
    check_tls();
    check_seed();
    options_.warnings = warnings_of_variables(app_);
    return options_;
  }

 private:
  // An option with its environment variable: --db-path and STATOR_DB_PATH.
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
    std::vector<std::string> texts;
    for (const auto& word : words) texts.emplace_back(word.text);
    std::string& text = texts_.emplace_back();
    add(name, text)->check(one_of(texts))->each([&words, &target](const std::string& chosen) {
      for (const auto& word : words) {
        if (word.text == chosen) target = word.value;
      }
    });
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
    add("explain", options_.requests_kept)
        ->check(number_between(std::size_t{0}, kRecentRequestsMax));
    add("db-path", texts_.emplace_back())->each([this](const std::string& text) {
      options_.settings.storage.folder = text;
    });
    add("seed", options_.seed_folder);
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
    add_seconds("ttl-sweep-interval", 0, options_.settings.ttl_sweep_interval);
    add_seconds("ttl-cooldown", 0, options_.settings.ttl_cooldown);
    add_streams();
    add("capacity", texts_.emplace_back())->each([this](const std::string& text) {
      auto parameters = std::make_shared<capacity::CapacityParameters>(*options_.settings.capacity);
      if (const auto read = read_capacity_parameters(text, *parameters); !read)
        throw CLI::ValidationError("--capacity", read.error());
      options_.settings.capacity = std::move(parameters);
    });
    add_seconds("sync-interval", kTimeoutMin_s, options_.settings.storage.sync_interval);
    add_seconds("idle-timeout", kTimeoutMin_s, options_.idle_timeout);
    add_seconds("request-timeout", kTimeoutMin_s, options_.request_timeout);
    add("cors", options_.origins.origins);
    add("allow-host", options_.origins.hosts);
    add("log-slow", seconds_.emplace_back())->each([this](const std::string& text) {
      options_.slow_request = parse_seconds<std::chrono::microseconds>(text, 0);
    });
    add("tls-cert", options_.tls.certificate_file);
    add("tls-key", options_.tls.key_file);
    add("tls", texts_.emplace_back())
        ->check(one_of({"self-signed"}))
        ->each([this](const std::string&) { options_.tls.is_self_signed = true; });
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
  }

  void add_words() {
    add_word("sync", kSyncs, options_.settings.storage.sync);
    add_word("error-wording", kWordings, options_.settings.error_wording);
    add_word("isolate", kIsolations, options_.settings.isolation);
    add_word("throttling", kThrottlings, options_.settings.throttling);
    add_word("admin", kSwitches, options_.has_admin_path);
    add_word("http-root", kRootAnswers, options_.root_answer);
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
  }

  void check_seed() const {
    const bool stands = options_.settings.clock.stands.value_or(false);
    if (!options_.seed_folder.empty() && stands &&
        options_.settings.control_plane_delay.count() > 0)
      throw CLI::ValidationError(
          "--seed",
          "its tables would stay CREATING: a clock that stands, and --control-plane-delay");
  }

  CLI::App app_;
  Options options_;
  bool wants_help_ = false;
  bool wants_version_ = false;
  std::deque<std::string> texts_;
  std::deque<double> seconds_;
};

OptionsExit no_such_command(std::string_view word) {
  const std::vector<std::string> commands = {"serve",    "health",  "clock",   "mark",    "reset",
                                             "capacity", "explain", "import",  "export",  "copy",
                                             "backup",   "check",   "compact", "version", "help"};
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

std::string version_text() { return "Stator " STATOR_VERSION; }

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

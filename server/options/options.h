// The parsed command line and environment: to serve, or another command.
// server/cli/command_line/command_line.h fills them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/call/settings.h"
#include "server/http/origin_policy.h"
#include "server/log/log.h"
#include "server/options/trigger_options.h"

namespace stator {

// The response to a GET of the root.
enum class RootAnswer : std::uint8_t {
  Healthy,       // 200, as in the cloud
  MissingToken,  // 400, as DynamoDB Local; some test libraries wait for it
};

// How far requests must prove who sends them, and what they may then do.
enum class AuthMode : std::uint8_t {
  Off,        // any signature of the right form
  Signature,  // signed by a key of the access file
  Iam,        // and allowed by its policies
  Audit,      // policies are evaluated and denials logged, but nothing is denied
};

// The value of --console-token that asks for none.
inline constexpr std::string_view kNoConsoleToken = "none";

struct TlsOptions {
  std::string certificate_file;  // empty: none
  std::string key_file;
  bool is_self_signed = false;
  std::string certificate_out = {};  // file for the self-signed certificate; empty: none

  bool is_on() const { return is_self_signed || !certificate_file.empty(); }
};

// A flag that the user gave, by its name without dashes.
struct GivenFlag {
  std::string name;
  bool is_variable;  // by its environment variable
};

// A server to ask, such as that of `stator health`, and how long it may take to answer.
struct HealthOptions {
  bool is_tls = false;
  std::string host = "localhost";
  std::uint16_t port = 8000;
  std::chrono::milliseconds timeout{3'000};
  // Whether the user chose the server, by a flag or by STATOR_HOST or STATOR_PORT.
  bool is_chosen = false;
  // What its admin path gets as x-stator-token; empty: STATOR_CONSOLE_TOKEN.
  std::string token = {};
};

struct Options {
  std::string host = "localhost";  // 127.0.0.1 and ::1
  std::uint16_t port = 8000;       // 0: any free one
  Settings settings;
  TlsOptions tls;
  log::Level log_level = log::Level::Info;
  log::Format log_format = log::Format::Text;
  unsigned threads = 1;
  std::size_t connections_max = 4096;
  // Limit of what requests and unread responses hold together.
  std::size_t memory_bytes_max = std::size_t{1} << 30;
  std::chrono::milliseconds idle_timeout{300'000};
  std::chrono::milliseconds request_timeout{60'000};
  RootAnswer root_answer = RootAnswer::Healthy;
  // Whether to serve /_stator/ (server/dispatch/admin.h).
  bool has_admin_path = true;
  // Whether to serve the console too (server/console).
  bool has_console = true;
  // The token of browsers if the server listens beyond this machine (OriginOptions::token);
  // kNoConsoleToken: none; empty: a random one, which the line about the console shows.
  std::string console_token;
  // Size of each ring (server/explain/requests/recent_requests.h); 0: no requests are recorded.
  std::size_t requests_kept = 200;
  // How much of a request's body is recorded.
  std::size_t explain_bytes = 4096;
  bool checks_signature_age = false;
  AuthMode auth = AuthMode::Off;
  // Keys, principals and policies (docs/access.md); empty: none.
  std::string access_file;
  // Whether others may read that file.
  bool is_access_file_insecure = false;
  // Where the permissions that requests needed go when the server ends; empty: nowhere.
  std::string access_report_file;
  // A request that takes at least this long is logged at info; empty: none is.
  std::optional<std::chrono::microseconds> slow_request;
  OriginOptions origins;
  // How long to retry a port that is in use.
  std::chrono::milliseconds port_patience{0};
  // What to load before the server says that it listens (server/templates/seeding/seed.h): a folder
  // or a file; empty: nothing.
  std::string seed_path;
  // Its folders are the buckets of exports; empty: the folder s3 of the data folder, if there is
  // one.
  std::string s3_root;
  // Whether requests may fail on demand (server/faults).
  bool has_faults = true;
  std::string faults_file;  // with rules to begin with; empty: none
  std::optional<std::uint64_t> fault_seed;
  // Flags that hold no default.
  std::vector<GivenFlag> given;
  // The server of S3 whose buckets exports use instead.
  std::optional<HealthOptions> s3_server;
  std::chrono::milliseconds s3_timeout{60'000};
  TriggerOptions triggers;
  // The server of Kinesis that gets the changes of tables; without one this server hosts streams.
  std::optional<HealthOptions> kinesis_server;
  // Printed before the line that says where the server listens.
  std::string banner;
  // Logged once the log has started.
  std::vector<std::string> warnings;
};

// `stator clock`, `stator reset`, `stator capacity` and `stator explain`.
struct ClockOptions {
  HealthOptions server;
  std::string verb;   // member of the body of POST /_stator/clock; empty for a GET
  std::string value;  // its value as text; for `rate` a number
};
struct ResetOptions {
  HealthOptions server;
  std::optional<std::string> region;
  std::optional<std::string> access_key;
  bool streams = false;  // disabled ones go too
};
struct MarkOptions {
  HealthOptions server;
  std::string verb;  // set, rollback, forget; empty: list
  std::string name;
};

struct CapacityOptions {
  HealthOptions server;
  std::string table;  // empty: all
  std::optional<std::string> region;
};
struct ExplainOptions {
  HealthOptions server;
  // Failures, also successes that have a hint, or all requests.
  enum class Show : std::uint8_t { Failures, Hints, All };

  std::string request_id;  // empty: the last requests
  Show show = Show::Failures;
  std::string table;                // empty: requests to any table
  std::optional<std::size_t> last;  // the number of requests; empty: the default of `show`
  bool follows = false;             // also requests that come later
  bool is_json = false;
};

// `stator backup`, `stator check` and `stator compact`.
struct BackupOptions {
  std::string source;
  std::string target;
};
struct CheckOptions {
  std::string folder;
};
struct CompactOptions {
  std::string folder;
};

// Chooses the server that a command addresses when the user names none.
using FindServer = std::function<HealthOptions(HealthOptions)>;

// Moves items in and out (server/data): import, export, copy. `run` returns the exit status.
struct DataCommand {
  std::function<int(const FindServer&)> run;
};

using Command =
    std::variant<Options, HealthOptions, ClockOptions, MarkOptions, ResetOptions, CapacityOptions,
                 ExplainOptions, BackupOptions, CheckOptions, CompactOptions, DataCommand>;

// The program ends without serving: help, version or an error.
struct OptionsExit {
  int status;
  std::string text;  // without the last newline when status is not 0
  bool is_for_stderr = status != 0;
};

}  // namespace stator

// Options: what the command line and the environment say, in Stator's own style or in DynamoDB
// Local's.
//
// Both styles end in the same struct. A flag wins over its environment variable (STATOR_DB_PATH for
// --db-path), a variable over what a style takes for granted. Beside serving, the first word may
// ask for something smaller: `health`, `clock`, `reset`, `import`, `export`, `copy`, `backup`,
// `check`, `compact`, `version`. Started under the name java, the program reads what Java would
// (java_launcher.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "engine/call/settings.h"
#include "server/log.h"
#include "server/origin_policy.h"

namespace stator {

// What a GET of the root answers.
enum class RootAnswer : std::uint8_t {
  Healthy,       // 200, as in the cloud
  MissingToken,  // 400, as DynamoDB Local; some test libraries wait for exactly that
};

struct TlsOptions {
  std::string certificate_file;  // empty: none
  std::string key_file;
  bool is_self_signed = false;

  bool is_on() const { return is_self_signed || !certificate_file.empty(); }
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
  // What requests and answers that wait may hold together.
  std::size_t memory_bytes_max = std::size_t{1} << 30;
  std::chrono::milliseconds idle_timeout{300'000};
  std::chrono::milliseconds request_timeout{60'000};
  RootAnswer root_answer = RootAnswer::Healthy;
  // Whether there is anything below /_stator/ (server/admin/admin.h).
  bool has_admin_path = true;
  // How many requests it tells of (server/explain/recent_requests.h); 0: none are kept.
  std::size_t requests_kept = 200;
  bool checks_signature_age = false;
  // From when on a request is slow and logged at info; empty: none is.
  std::optional<std::chrono::microseconds> slow_request;
  OriginOptions origins;
  // How long a port that is in use is tried again.
  std::chrono::milliseconds port_patience{0};
  // What is loaded before the server says that it listens (server/data/seed.h); empty: nothing.
  std::string seed_folder;
  // Printed before the line that says where the server listens.
  std::string banner;
  // To be logged when the log has begun.
  std::vector<std::string> warnings;
};

// The server that `stator health` asks, and how long it may take to answer.
struct HealthOptions {
  bool is_tls = false;
  std::string host = "localhost";
  std::uint16_t port = 8000;
  std::chrono::milliseconds timeout{3'000};
  // Whether the user said which, by a flag or by STATOR_HOST or STATOR_PORT.
  bool is_chosen = false;
};

// `stator clock`, `stator reset`, `stator capacity` and `stator explain`, at the same kind of
// server.
struct ClockOptions {
  HealthOptions server;
  std::string verb;   // member of the body of POST /_stator/clock; empty: a GET
  std::string value;  // its text; of `rate` a number
};
struct ResetOptions {
  HealthOptions server;
  std::optional<std::string> region;
  std::optional<std::string> access_key;
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
  std::string request_id;  // empty: the last requests
  bool wants_all = false;  // those too that there is nothing to say of
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

// What moves items in and out (server/data): import, export, copy. `run` does it and returns the
// exit status.
struct DataCommand {
  std::function<int()> run;
};

using Command =
    std::variant<Options, HealthOptions, ClockOptions, MarkOptions, ResetOptions, CapacityOptions,
                 ExplainOptions, BackupOptions, CheckOptions, CompactOptions, DataCommand>;

// The program is to end without serving: help, version, or a mistake.
struct OptionsExit {
  int status;
  std::string text;  // without the last newline when status is not 0
  bool is_for_stderr = status != 0;
};

tl::expected<Command, OptionsExit> parse_command(int argc, const char* const* argv);

// What parse_command does with everything that serves.
tl::expected<Options, OptionsExit> parse_options(int argc, const char* const* argv);

// What --version prints.
std::string version_text();

}  // namespace stator

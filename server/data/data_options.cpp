#include "server/data/data_options.h"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/command_mistakes.h"
#include "server/data/copy_command.h"
#include "server/data/data_help.h"
#include "server/data/export_command.h"
#include "server/data/import_command.h"
#include "server/data/table_info.h"
#include "server/option_values.h"
#include "server/server_flags.h"
#include "server/serving_process.h"

namespace stator::data {

namespace {

constexpr std::chrono::seconds kTimeout{60};
constexpr unsigned kConnectionsMax = 64;
constexpr unsigned kSegments = 4;

using Arguments = std::span<const std::string_view>;
using Read = tl::expected<Command, OptionsExit>;

std::string variable(const char* name, std::string otherwise = {}) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : std::move(otherwise);
}

// As the SDKs read them; a local server takes any.
Credentials credentials() {
  return {variable("AWS_ACCESS_KEY_ID", "stator"), variable("AWS_SECRET_ACCESS_KEY", "stator"),
          variable("AWS_SESSION_TOKEN")};
}

// Of dynamodb.eu-west-1.amazonaws.com and its kin; empty for other hosts.
std::string region_of_host(std::string_view host) {
  if (host.find(".amazonaws.com") == std::string_view::npos) return {};
  for (const std::string_view service : {"dynamodb.", "dynamodb-fips.", "ddb."}) {
    const std::size_t start = host.find(service);
    if (start == std::string_view::npos) continue;
    const std::string_view rest = host.substr(start + service.size());
    return std::string(rest.substr(0, rest.find('.')));
  }
  return {};
}

// `region` as a flag said it, or empty.
Endpoint endpoint_of(HealthOptions server, std::string region, bool is_insecure) {
  if (region.empty()) region = region_of_host(server.host);
  if (region.empty()) region = variable("AWS_REGION", variable("AWS_DEFAULT_REGION", "us-east-1"));
  const bool is_checked = server.is_tls && !is_insecure && !is_loopback(server);
  return {std::move(server), std::move(region), credentials(),
          is_checked ? CertificateCheck::System : CertificateCheck::None};
}

// "json" to Format::Json. Throws CLI::ValidationError.
Format format_of(const std::string& text) {
  for (const Format format :
       {Format::Json, Format::DynamodbJson, Format::Csv, Format::Scan, Format::Export}) {
    if (text == format_name(format)) return format;
  }
  throw CLI::ValidationError("--format",
                             "'" + text + "' is not json, dynamodb-json, csv, scan or export");
}

char delimiter_of(const std::string& text) {
  if (text == "tab") return '\t';
  if (text.size() != 1 || text == "\"" || text == "\n")
    throw CLI::ValidationError("--delimiter", "'" + text + "' is not one character or tab");
  return text[0];
}

// What all commands here have: which server, as whom, how fast, help.
class DataFlags {
 public:
  explicit DataFlags(CLI::App& app) : app_{app}, flags_{app, server_} {
    server_.timeout = kTimeout;
    app.set_help_flag();
    app.add_flag("-h,--help", wants_help_);
    app.add_option("--region", region_);
    app.add_flag("--insecure", is_insecure_);
  }

  bool parse(Arguments arguments) {
    parse_plainly(app_, {arguments.begin(), arguments.end()});
    if (wants_help_) return false;
    flags_.finish();
    for (const char* const name : {"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"}) {
      const std::string url = server_.is_chosen ? std::string() : variable(name);
      if (url.empty()) continue;
      read_endpoint(url, name, server_);
      server_.is_chosen = true;
    }
    return true;
  }

  // Tells where it is once the command runs. That may look at other processes, which reading a
  // command line must not: theirs are read so, and its own is among them.
  auto endpoint() const {
    return [server = server_, region = region_, is_insecure = is_insecure_] {
      return endpoint_of(server.is_chosen ? server : aimed_at_serving_process(server), region,
                         is_insecure);
    };
  }

 private:
  CLI::App& app_;
  HealthOptions server_;
  ServerFlags flags_;
  bool wants_help_ = false;
  bool is_insecure_ = false;
  std::string region_;
};

void add_speed(CLI::App& app, unsigned& connections, double& items_per_s) {
  app.add_option("--connections", connections)->check(number_between(1U, kConnectionsMax));
  app.add_option("--rate", items_per_s)->check(number_between(0.001, 1e9));
}

}  // namespace

Endpoint own_endpoint(const HealthOptions& server) { return endpoint_of(server, {}, true); }

Read read_import_options(Arguments arguments) {
  ImportOptions options;
  std::string format;
  std::string delimiter;
  CLI::App app;
  DataFlags flags{app};
  app.add_option("TABLE", options.table);
  app.add_option("FILE", options.files);
  app.add_option("--format", format);
  app.add_option("--delimiter", delimiter);
  app.add_option("--header", options.reading.header)->delimiter(',');
  app.add_option("--key", options.key);
  app.add_flag("--keep-going", options.keeps_going);
  app.add_option("--rejects", options.rejects);
  add_speed(app, options.connections, options.items_per_s);
  if (!flags.parse(arguments)) return tl::unexpected(OptionsExit{0, std::string{kImportHelp}});
  if (options.table.empty()) throw CLI::ValidationError("TABLE", "is missing");
  if (options.files.empty()) throw CLI::ValidationError("FILE", "is missing");
  if (!format.empty()) options.reading.format = format_of(format);
  if (!delimiter.empty()) options.reading.delimiter = delimiter_of(delimiter);
  if (!options.key.empty() && create_body(options.table, options.key).empty())
    throw CLI::ValidationError("--key", "'" + options.key + "' is not NAME:TYPE[,NAME:TYPE]");
  return DataCommand{[options, endpoint = flags.endpoint()]() mutable {
    options.endpoint = endpoint();
    return run_import(std::move(options));
  }};
}

Read read_export_options(Arguments arguments) {
  ExportOptions options;
  options.sink.segments = kSegments;
  std::string format;
  std::string delimiter;
  CLI::App app;
  DataFlags flags{app};
  app.add_option("TABLE", options.sink.table);
  app.add_option("FILE", options.sink.path);
  app.add_option("--format", format);
  app.add_option("--delimiter", delimiter);
  app.add_option("--segments", options.sink.segments)->check(number_between(1U, kConnectionsMax));
  app.add_option("--rate", options.items_per_s)->check(number_between(0.001, 1e9));
  if (!flags.parse(arguments)) return tl::unexpected(OptionsExit{0, std::string{kExportHelp}});
  if (options.sink.table.empty()) throw CLI::ValidationError("TABLE", "is missing");
  if (options.sink.path.empty()) throw CLI::ValidationError("FILE", "is missing");
  options.sink.format = format.empty() ? format_of_name(options.sink.path) : format_of(format);
  if (options.sink.format == Format::Auto)
    throw CLI::ValidationError(options.sink.path, "the name tells no format, say it by --format");
  if (!delimiter.empty()) options.sink.delimiter = delimiter_of(delimiter);
  return DataCommand{[options, endpoint = flags.endpoint()]() mutable {
    options.endpoint = endpoint();
    return run_export(options);
  }};
}

Read read_copy_options(Arguments arguments) {
  CopyOptions options;
  bool wants_help = false;
  bool is_insecure = false;
  std::string from;
  std::string to;
  std::string from_region;
  std::string to_region;
  double timeout = 0;
  HealthOptions source;
  source.timeout = kTimeout;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("TABLE", options.tables);
  app.add_option("--from", from);
  app.add_option("--to", to);
  app.add_option("--from-region", from_region);
  app.add_option("--to-region", to_region);
  app.add_option("--segments", options.segments)->check(number_between(1U, kConnectionsMax));
  app.add_option("--rate", options.items_per_s)->check(number_between(0.001, 1e9));
  app.add_option("--state", options.state);
  app.add_flag("--merge", options.is_merging);
  app.add_flag("--insecure", is_insecure);
  app.add_option("--timeout", timeout)->each([&source](const std::string& text) {
    source.timeout = parse_seconds<std::chrono::milliseconds>(text, kTimeoutMin_s);
  });
  parse_plainly(app, {arguments.begin(), arguments.end()});
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kCopyHelp}});
  if (from.empty()) throw CLI::ValidationError("--from", "is missing");
  if (to.empty()) throw CLI::ValidationError("--to", "is missing");
  HealthOptions target = source;
  read_endpoint(from, "--from", source);
  read_endpoint(to, "--to", target);
  options.from = endpoint_of(std::move(source), std::move(from_region), is_insecure);
  options.to = endpoint_of(std::move(target), std::move(to_region), is_insecure);
  const bool is_itself = host_text(options.from.server) == host_text(options.to.server) &&
                         options.from.region == options.to.region;
  if (is_itself) throw CLI::ValidationError("--to", "is where the tables are already");
  return DataCommand{[options] { return run_copy(options); }};
}

}  // namespace stator::data

#include "server/data/data_options.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "protocol/values/value.h"
#include "server/data/copy_command.h"
#include "server/data/data_flags.h"
#include "server/data/data_help.h"
#include "server/data/export_command.h"
#include "server/data/import_command.h"
#include "server/data/transfer/table_info.h"
#include "server/http/own_tools.h"
#include "server/options/argument_errors.h"
#include "server/options/option_values.h"
#include "server/options/server_flags.h"

namespace stator::data {

namespace {

constexpr unsigned kConnectionsMax = 64;
constexpr unsigned kSegments = 4;

using Arguments = std::span<const std::string_view>;
using Read = tl::expected<Command, OptionsExit>;

// Parses "json" and the like. Throws CLI::ValidationError.
Format format_of(const std::string& text) {
  for (const Format format : {Format::Json, Format::DynamodbJson, Format::Csv, Format::Ion,
                              Format::Scan, Format::Export}) {
    if (text == format_name(format)) return format;
  }
  throw CLI::ValidationError("--format",
                             "'" + text + "' is not json, dynamodb-json, csv, ion, scan or export");
}

char delimiter_of(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1 || text == "\"" || text == "\n")
    throw CLI::ValidationError("--delimiter", "'" + text + "' is not one character or tab");
  return text[0];
}

// Parses "Total:N"; names may contain colons. Throws CLI::ValidationError.
void add_type(const std::string& text, std::map<std::string, std::string, std::less<>>& types) {
  const std::size_t colon = text.rfind(':');
  const bool is_good =
      colon != std::string::npos && colon != 0 && find_type(text.substr(colon + 1)).has_value();
  if (!is_good) throw CLI::ValidationError("--types", "'" + text + "' is not NAME:TYPE");
  types[text.substr(0, colon)] = text.substr(colon + 1);
}

// `is_one_place`: source and target are the same endpoint. Throws CLI::ValidationError.
void check_copies(const std::vector<std::string>& tables, bool is_one_place) {
  std::set<std::string> targets;
  for (const std::string& text : tables) {
    const CopyNames names = names_of(text);
    if (names.source.empty() || names.target.empty())
      throw CLI::ValidationError("TABLE", "'" + text + "' is not TABLE or TABLE:COPY");
    if (!targets.insert(names.target).second)
      throw CLI::ValidationError("TABLE", "two copies would be called '" + names.target + "'");
    if (is_one_place && names.source == names.target) {
      throw CLI::ValidationError(
          "--to", "is where the tables are already; TABLE:COPY copies under another name");
    }
  }
  if (is_one_place && tables.empty())
    throw CLI::ValidationError("--to", "is where the tables are already");
}

// Completes format and packing from the words of the flags, which may be empty, and the file's
// name. Throws CLI::ValidationError.
void choose_format(SinkOptions& sink, const std::string& format, const std::string& packing) {
  sink.format = format.empty() ? format_of_name(sink.path) : format_of(format);
  if (sink.format == Format::Auto)
    throw CLI::ValidationError(sink.path, "the name tells no format, say it by --format");
  const auto named = find_packing(packing);
  if (!packing.empty() && !named)
    throw CLI::ValidationError("--compression", "'" + packing + "' is not none, gzip or zstd");
  sink.packing = named.value_or(packing_of_name(sink.path));
  if (sink.path.ends_with('/')) {
    if (sink.format == Format::Ion) sink.export_format = ExportFormat::Ion;
    if (sink.format == Format::Ion || sink.format == Format::DynamodbJson)
      sink.format = Format::Export;
    if (sink.format != Format::Export) {
      throw CLI::ValidationError("--format", "'" + format + "' is for a file, and '" + sink.path +
                                                 "' a folder; its files are dynamodb-json or ion");
    }
  }
  if (sink.format == Format::Export && named && named != Packing::Gzip)
    throw CLI::ValidationError("--compression", "the files of an export's folder are always gzip");
}

void add_speed(CLI::App& app, unsigned& connections, double& items_per_s) {
  app.add_option("--connections", connections)->check(number_between(1U, kConnectionsMax));
  app.add_option("--rate", items_per_s)->check(number_between(0.001, 1e9));
}

}  // namespace

Endpoint own_endpoint(const HealthOptions& server) {
  return endpoint_of(server, {}, true, own_tools::kSeed);
}

Endpoint s3_endpoint(const HealthOptions& server) { return endpoint_of(server, {}, false, {}); }

Endpoint kinesis_endpoint(const HealthOptions& server) { return s3_endpoint(server); }

Read read_import_options(Arguments arguments) {
  ImportOptions options;
  std::vector<std::string> types;
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
  app.add_option("--types", types)->delimiter(',');
  app.add_flag("--keep-going", options.keeps_going);
  app.add_option("--rejects", options.rejects);
  add_speed(app, options.connections, options.items_per_s);
  if (!flags.parse(arguments)) return tl::unexpected(OptionsExit{0, std::string{kImportHelp}});
  if (options.table.empty()) throw CLI::ValidationError("TABLE", "is missing");
  if (options.files.empty()) throw CLI::ValidationError("FILE", "is missing");
  if (!format.empty()) options.reading.format = format_of(format);
  if (!delimiter.empty()) options.reading.delimiter = delimiter_of(delimiter);
  for (const std::string& text : types) add_type(text, options.reading.column_types);
  if (!options.key.empty() && !info_of_key(options.key))
    throw CLI::ValidationError("--key", "'" + options.key + "' is not NAME:TYPE[,NAME:TYPE]");
  return DataCommand{[options, endpoint = flags.endpoint(own_tools::kImport)](
                         const FindServer& find_server) mutable {
    options.endpoint = endpoint(find_server);
    return run_import(std::move(options));
  }};
}

Read read_export_options(Arguments arguments) {
  ExportOptions options;
  options.sink.segments = kSegments;
  std::string format;
  std::string packing;
  std::string delimiter;
  CLI::App app;
  DataFlags flags{app};
  app.add_option("TABLE", options.sink.table);
  app.add_option("FILE", options.sink.path);
  app.add_option("--format", format);
  app.add_option("--compression", packing);
  app.add_option("--delimiter", delimiter);
  app.add_option("--segments", options.sink.segments)->check(number_between(1U, kConnectionsMax));
  app.add_option("--rate", options.items_per_s)->check(number_between(0.001, 1e9));
  if (!flags.parse(arguments)) return tl::unexpected(OptionsExit{0, std::string{kExportHelp}});
  if (options.sink.table.empty()) throw CLI::ValidationError("TABLE", "is missing");
  if (options.sink.path.empty()) throw CLI::ValidationError("FILE", "is missing");
  choose_format(options.sink, format, packing);
  if (!delimiter.empty()) options.sink.delimiter = delimiter_of(delimiter);
  options.sink.spool_folder = spool_folder_of(options.sink.path);
  return DataCommand{[options, endpoint = flags.endpoint(own_tools::kExport)](
                         const FindServer& find_server) mutable {
    options.endpoint = endpoint(find_server);
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
  source.timeout = kAnswerTimeout;
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
  app.add_flag("--schema-only", options.is_schema_only);
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
  options.from =
      endpoint_of(std::move(source), std::move(from_region), is_insecure, own_tools::kCopy);
  options.to = endpoint_of(std::move(target), std::move(to_region), is_insecure, own_tools::kCopy);
  const bool is_one_place = host_text(options.from.server) == host_text(options.to.server) &&
                            options.from.region == options.to.region;
  check_copies(options.tables, is_one_place);
  return DataCommand{[options](const FindServer&) { return run_copy(options); }};
}

}  // namespace stator::data

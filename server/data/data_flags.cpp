#include "server/data/data_flags.h"

#include <filesystem>
#include <utility>

#include "server/options/argument_errors.h"
#include "server/options/variables.h"

namespace stator::data {

namespace {

std::string variable(const char* name, std::string otherwise = {}) {
  std::string value = variable_text(name);
  return value.empty() ? std::move(otherwise) : value;
}

// From the SDKs' variables; a local server accepts any.
Credentials credentials() {
  return {variable("AWS_ACCESS_KEY_ID", "stator"), variable("AWS_SECRET_ACCESS_KEY", "stator"),
          variable("AWS_SESSION_TOKEN")};
}

// The Region in dynamodb.eu-west-1.amazonaws.com and similar; empty for other hosts.
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

}  // namespace

Endpoint endpoint_of(HealthOptions server, std::string region, bool is_insecure,
                     std::string_view user_agent) {
  if (region.empty()) region = region_of_host(server.host);
  if (region.empty()) region = variable("AWS_REGION", variable("AWS_DEFAULT_REGION", "us-east-1"));
  const bool is_checked = server.is_tls && !is_insecure && !is_loopback(server);
  return {std::move(server), std::move(region), credentials(),
          is_checked ? CertificateCheck::System : CertificateCheck::None, user_agent};
}

std::string spool_folder_of(const std::string& path) {
  if (path == "-") return variable("TMPDIR", "/tmp");
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

DataFlags::DataFlags(CLI::App& app) : app_{app}, flags_{app, server_} {
  server_.timeout = kAnswerTimeout;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help_);
  app.add_option("--region", region_);
  app.add_flag("--insecure", is_insecure_);
}

bool DataFlags::parse(std::span<const std::string_view> arguments) {
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

Endpoint DataFlags::endpoint_at(std::string_view url, std::string_view name) const {
  HealthOptions server = server_;
  read_endpoint(url, name, server);
  server.is_chosen = true;
  return endpoint_of(std::move(server), region_, is_insecure_, {});
}

}  // namespace stator::data

#include "server/options/server_flags.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "server/options/argument_errors.h"
#include "server/options/option_values.h"
#include "server/options/variables.h"

namespace stator {

namespace {

bool is_set(const char* variable) { return !variable_text(variable).empty(); }

}  // namespace

void read_endpoint(std::string_view text, std::string_view flag, HealthOptions& server) {
  const CLI::ValidationError unreadable{std::string{flag},
                                        "'" + std::string{text} + "' is not http://HOST:PORT"};
  std::string_view rest = text;
  server.is_tls = rest.starts_with("https://");
  if (!server.is_tls && !rest.starts_with("http://")) throw unreadable;
  rest.remove_prefix(server.is_tls ? 8 : 7);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const bool is_bracketed = rest.starts_with('[');
  const std::size_t host_end = is_bracketed ? rest.find(']') : rest.find(':');
  if (is_bracketed && host_end == std::string_view::npos) throw unreadable;
  const std::string_view host = rest.substr(0, host_end).substr(is_bracketed ? 1 : 0);
  rest.remove_prefix(std::min(rest.size(), host_end + (is_bracketed ? 1 : 0)));
  if (host.empty() || host.find_first_of("/?#@") != std::string_view::npos) throw unreadable;
  server.host = host;
  server.port = server.is_tls ? 443 : 80;
  if (rest.empty()) return;
  const char* const end = rest.data() + rest.size();
  const auto read = std::from_chars(rest.data() + 1, end, server.port);
  if (rest[0] != ':' || read.ec != std::errc{} || read.ptr != end || server.port == 0) {
    throw unreadable;
  }
}

ServerFlags::ServerFlags(CLI::App& app, HealthOptions& server) : app_(app), server_(server) {
  app_.add_option("--host", server_.host)->envname("STATOR_HOST");
  app_.add_option("--port", server_.port)->envname("STATOR_PORT")->check(number_between(1, 65535));
  app_.add_option("--endpoint,--endpoint-url", endpoint_);
  app_.add_option("--timeout", timeout_)->each([this](const std::string& text) {
    server_.timeout = parse_seconds<std::chrono::milliseconds>(text, kTimeoutMin_s);
  });
}

void ServerFlags::finish() {
  server_.is_tls = is_set("STATOR_TLS") || is_set("STATOR_TLS_CERT");
  // CLI11 counts a variable like its flag.
  server_.is_chosen = app_.count("--endpoint") + app_.count("--host") + app_.count("--port") != 0;
  if (app_.count("--endpoint") != 0) read_endpoint(endpoint_, "--endpoint", server_);
}

}  // namespace stator

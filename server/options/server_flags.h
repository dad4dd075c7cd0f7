// The flags that select a server and a timeout, for all commands that address one.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "server/options/options.h"

namespace stator {

// Parses "http://HOST[:PORT][/]" (IPv6 in brackets) into host, port and TLS of `server`. The error
// names `flag`. Throws CLI::ValidationError.
void read_endpoint(std::string_view text, std::string_view flag, HealthOptions& server);

class ServerFlags {
 public:
  // Both must outlive this.
  ServerFlags(CLI::App& app, HealthOptions& server);

  // Call after parsing. Throws CLI::ValidationError.
  void finish();

 private:
  CLI::App& app_;
  HealthOptions& server_;
  std::string endpoint_;
  double timeout_ = 0;
};

}  // namespace stator

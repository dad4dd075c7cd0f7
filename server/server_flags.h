// The flags that say which server to ask, and how long, as all commands that ask one have them.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "server/options.h"

namespace stator {

// "http://HOST[:PORT][/]", an IPv6 address in brackets, to host, port and TLS of `server`. `flag`
// is named in the error. Throws CLI::ValidationError.
void read_endpoint(std::string_view text, std::string_view flag, HealthOptions& server);

class ServerFlags {
 public:
  // Both must outlive this.
  ServerFlags(CLI::App& app, HealthOptions& server);

  // Behind the parsing. Throws CLI::ValidationError.
  void finish();

 private:
  CLI::App& app_;
  HealthOptions& server_;
  std::string endpoint_;
  double timeout_ = 0;
};

}  // namespace stator

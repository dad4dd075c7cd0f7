// The flags of all commands that use tables of any endpoint: which server, Region, certificates.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "server/client/endpoint.h"
#include "server/options/options.h"
#include "server/options/server_flags.h"

namespace stator::data {

// How long to wait for a response unless the user says otherwise.
inline constexpr std::chrono::seconds kAnswerTimeout{60};

// Completes an endpoint by the environment: its credentials, and its Region if `region`, the value
// of the flag, is empty.
Endpoint endpoint_of(HealthOptions server, std::string region, bool is_insecure,
                     std::string_view user_agent);

// Where data that has to wait on the disk may wait: the folder of the output file, whose disk has
// space for it, or for "-" that of temporary files.
std::string spool_folder_of(const std::string& path);

class DataFlags {
 public:
  // Adds the flags to `app`, which must outlive this.
  explicit DataFlags(CLI::App& app);

  // Returns false if the user wants help. Throws CLI::ValidationError.
  bool parse(std::span<const std::string_view> arguments);

  // Chooses the endpoint only when the command runs. Finding the server parses other processes'
  // command lines, which must not happen during the parsing of this one.
  auto endpoint(std::string_view user_agent) const {
    return [server = server_, region = region_, is_insecure = is_insecure_,
            user_agent](const FindServer& find_server) {
      return endpoint_of(server.is_chosen ? server : find_server(server), region, is_insecure,
                         user_agent);
    };
  }

  // The endpoint at a URL that words of the command name, such as "endpoint:URL"; the other flags
  // hold for it. `name` is for messages. Call after parse(). Throws CLI::ValidationError.
  Endpoint endpoint_at(std::string_view url, std::string_view name) const;

 private:
  CLI::App& app_;
  HealthOptions server_;
  ServerFlags flags_;
  bool wants_help_ = false;
  bool is_insecure_ = false;
  std::string region_;
};

}  // namespace stator::data

#include "server/options/server_address.h"

namespace stator {

std::string named_host(const HealthOptions& server) {
  return server.host == "*" ? "localhost" : server.host;
}

std::string address_text(const HealthOptions& server) {
  const std::string host = named_host(server);
  const bool is_v6 = host.find(':') != std::string::npos;
  return (server.is_tls ? "https://" : "http://") + (is_v6 ? "[" + host + "]" : host) + ":" +
         std::to_string(server.port);
}

}  // namespace stator

// How the address of a server is written.
#pragma once

#include <string>

#include "server/options/options.h"

namespace stator {

// The server's --host as a client writes it.
std::string named_host(const HealthOptions& server);

// "http://localhost:8000", "https://[::1]:8000"; read_endpoint() reads it.
std::string address_text(const HealthOptions& server);

}  // namespace stator

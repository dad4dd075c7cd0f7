// Which server runs on this machine: whom `stator health` asks when nobody says.
//
// A server is another process of the same executable file whose command line serves; the command
// line is read as that process read it, the environment is taken to be the same. A server on port 0
// cannot be found so, since the port that it got stands nowhere. Of several the one on the port
// that would be asked anyway is chosen, else the one with the lowest number, which is the oldest as
// a rule and the container's own in a container.
#pragma once

#include <filesystem>

#include "server/options.h"

namespace stator {

// `options` with host, port and TLS of the server found, or as they are when there is none.
// `proc` is where the system shows its processes.
HealthOptions aimed_at_serving_process(HealthOptions options,
                                       const std::filesystem::path& proc = "/proc");

}  // namespace stator

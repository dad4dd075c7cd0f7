// Finds the server on this machine that commands address when the user chose none.
//
// A server is another process of the same executable file whose command line serves. Its options
// are read as that process read them; its environment is assumed to equal this one. A server on
// port 0 cannot be found, because its real port is not recorded anywhere. Among several, the one on
// the port of the options wins, else the one with the lowest process number: usually the oldest,
// and in a container the main process.
#pragma once

#include <filesystem>

#include "server/options/options.h"

namespace stator {

// Returns `options` with host, port and TLS of the server found; unchanged if none. `proc` is the
// folder where the system shows its processes.
HealthOptions aimed_at_serving_process(HealthOptions options,
                                       const std::filesystem::path& proc = "/proc");

}  // namespace stator

// The values that the flags have in a running server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/options/options.h"

namespace stator {

struct FlagValue {
  std::string_view name;  // without dashes
  std::string value;      // as on the command line; empty: none
  std::string_view from;  // "flag", "env" or "default"
};

// All flags of the server in the order of docs/flags.md, but --capacity, whose many values have a
// verb of their own, and --console-token, which is a secret.
std::vector<FlagValue> flag_values(const Options& options);

}  // namespace stator

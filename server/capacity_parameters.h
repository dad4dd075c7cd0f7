// The constants of the model of throughput as a user names them: --capacity burst-seconds=1,...
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/capacity/parameters.h"

namespace stator {

// Sets what a list of NAME=VALUE with commas between them says (docs/capacity.md has the names).
// The error is a line for the user; `parameters` is then in part changed.
tl::expected<void, std::string> read_capacity_parameters(std::string_view list,
                                                         capacity::CapacityParameters& parameters);

}  // namespace stator

// Parses the constants of the throughput model: --capacity burst-seconds=1,...
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/capacity/parameters.h"

namespace stator {

// Sets the NAME=VALUE pairs of a list with commas (docs/capacity.md has the names). The error is a
// line for the user; `parameters` may then be changed in part.
tl::expected<void, std::string> read_capacity_parameters(std::string_view list,
                                                         capacity::CapacityParameters& parameters);

}  // namespace stator

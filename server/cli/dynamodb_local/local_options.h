// DynamoDB Local's command line: single-dash flags. Words before them are Java's (java_launcher.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

// Whether the arguments (without the program's name) are in that style.
bool is_local_style(std::span<const std::string_view> arguments);

// The options of Stator in place of DynamoDB Local, before any flag: it listens on all interfaces
// and responds to `GET /` with status 400.
Options options_in_its_place();

// Adds DynamoDB Local's defaults: tables per access key, and data in the current folder.
Options local_defaults();

// Applies DynamoDB Local's flags to `options`, which hold local_defaults() and the environment's
// values. Options without a flag stay unchanged.
tl::expected<Options, OptionsExit> parse_local_options(std::span<const std::string_view> arguments,
                                                       Options options);

}  // namespace stator

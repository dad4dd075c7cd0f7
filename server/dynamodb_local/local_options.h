// DynamoDB Local's command line: single-dash flags. What may stand before them is Java's
// (java_launcher.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/options.h"

namespace stator {

// Whether the arguments (without the program's name) are in that style.
bool is_local_style(std::span<const std::string_view> arguments);

// What holds where Stator stands in the place of DynamoDB Local, whichever flags it gets: it
// listens on all interfaces and answers `GET /` with status 400.
Options options_in_its_place();

// What holds there without a flag: also tables per access key, and data in the current folder.
Options local_defaults();

// Changes `options`, which hold local_defaults() and the environment's wishes, to what DynamoDB
// Local's flags ask for. What no flag names stays.
tl::expected<Options, OptionsExit> parse_local_options(std::span<const std::string_view> arguments,
                                                       Options options);

}  // namespace stator

// DynamoDB Local's command line: single-dash flags, also behind what Java itself would take
// (-Djava.library.path=… -jar DynamoDBLocal.jar).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/options.h"

namespace stator {

// Whether the arguments (without the program's name) are in that style.
bool is_local_style(std::span<const std::string_view> arguments);

// Changes `options`, which hold defaults and the environment's wishes, to what the arguments mean
// there: tables per access key unless -sharedDb, data in the current folder unless told otherwise,
// all interfaces, `GET /` with status 400.
tl::expected<Options, OptionsExit> parse_local_options(std::span<const std::string_view> arguments,
                                                       Options options);

}  // namespace stator

// Errors that several checks share, each with its text and its rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/errors/error.h"
#include "protocol/number/number.h"

namespace stator {

// "One or more parameter values were invalid: ..."
Error invalid_parameter(std::string statement);

// The error for a number that cannot be stored. `text` follows the message if it is no number at
// all. REQUIRES: `error` is not None.
Error number_error(NumberError error, std::optional<std::string_view> text = std::nullopt);

// A member of the body whose JSON type is wrong.
Error unconvertible_error(std::string_view token, std::string_view java_class);

// A document that is too deep. `details` follow the message.
Error nesting_error(std::string_view details = {});

// The error for a single member that violates a constraint of the API's description. The message
// shows `value` if it is given.
Error constraint_error(std::string_view member, std::string_view constraint,
                       std::optional<std::string_view> value = std::nullopt);

// What a request names and is not there. `what` may be empty.
Error resource_not_found(std::string_view what);

}  // namespace stator

// Parses the flags of triggers.
#pragma once

#include <string>
#include <string_view>

#include "server/options/trigger_options.h"

namespace stator {

// Whether the text can be the name of a function.
bool is_function_name(std::string_view text);

// Parses "NAME=URL[,kind=rie|api][,concurrency=N][,timeout=3s]", or the same without "=URL" and
// kind, for a function whose processes fetch their calls. Throws CLI::ValidationError, as the next
// two do.
FunctionTarget parse_function(const std::string& text);

// Parses "URL[,kind=…][,concurrency=N][,timeout=3s]".
FunctionTarget parse_default_function(const std::string& text);

// Parses "ARN=DIR" or "ARN=http://…[,kind=post|sqs|sns]".
FailureSink parse_failure_sink(const std::string& text);

}  // namespace stator

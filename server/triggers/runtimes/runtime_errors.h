// The error objects of calls that no process answered, in the service's words.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace stator::triggers {

// {"errorType":…,"errorMessage":…}
std::string error_object(std::string_view type, std::string_view message);

std::string timeout_error(std::string_view request_id, std::chrono::milliseconds timeout);
// The process has ended.
std::string exit_error(std::string_view request_id, int status = 1);
std::string size_error(std::size_t bytes);

}  // namespace stator::triggers

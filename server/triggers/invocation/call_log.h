// The log of a call as Invoke returns it: what the function has written, between the service's
// lines.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace stator::triggers {

// The last part, as long as the service's. `output` may be such a log already.
std::string call_log(std::string_view request_id, std::string_view output,
                     std::chrono::microseconds duration);

}  // namespace stator::triggers

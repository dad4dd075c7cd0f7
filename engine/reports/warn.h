// Warn: how the engine reports to its user.
#pragma once

#include <functional>
#include <string>

namespace stator {

// Gets one line that a user should see; the server writes it to its log. Any thread may call it.
using Warn = std::function<void(const std::string& line)>;

}  // namespace stator

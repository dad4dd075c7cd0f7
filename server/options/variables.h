// Variables of the environment that are not flags.
#pragma once

#include <string>

namespace stator {

// Empty if the variable is not set. Call while no thread changes the environment.
std::string variable_text(const char* name);
// Whether the variable is set, also if it is empty.
bool is_variable_set(const char* name);

}  // namespace stator

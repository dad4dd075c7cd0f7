// The version of the program.
#pragma once

#include <string>

namespace stator {

// "Stator 0.1.0", as --version prints it.
std::string version_text();

}  // namespace stator

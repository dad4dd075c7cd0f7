#include "server/options/variables.h"

#include <cstdlib>

namespace stator {

std::string variable_text(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_variable_set(const char* name) { return std::getenv(name) != nullptr; }

}  // namespace stator

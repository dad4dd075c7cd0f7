// An Error that waits in a request until the request is refused.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "protocol/errors/error.h"
#include "protocol/memory/arena.h"

namespace stator {

// The message and the rule as views of the arena, since requests have no destructors.
struct StoredError {
  ErrorCode code;
  std::string_view message;
  std::size_t before_bytes;
  std::size_t after_bytes;
  Rule rule;
  std::string_view place;
  std::array<std::string_view, kRuleValuesMax> values;
};

// Leaves out further members.
const StoredError* stored(const Error& error, Arena& arena);
Error error_of(const StoredError& stored);

}  // namespace stator

// Damage found while reading stored bytes. Code that reads records is too deep inside rendering and
// evaluation to return a Result for each byte, so it throws. The callers that run requests, writes
// and chores catch it, respond with status 500 and continue.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "protocol/errors/error.h"

namespace stator::storage {

inline constexpr std::string_view kDamageText = "the data is damaged: ";

class DamagedData final : public std::runtime_error {
 public:
  explicit DamagedData(const std::string& what)
      : std::runtime_error(std::string(kDamageText) + what) {}
};

// Whether the error's text reports damage.
inline bool is_damage(const Error& error) { return error.message().starts_with(kDamageText); }

[[noreturn]] void throw_damaged_record();

}  // namespace stator::storage

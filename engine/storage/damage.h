// Damage met while reading stored bytes. What reads records is too deep inside rendering and
// evaluating to hand a Result up at each byte, so it throws; whoever runs requests, writes and
// chores catches, answers 500 and goes on.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "protocol/error.h"

namespace stator::storage {

inline constexpr std::string_view kDamageText = "the data is damaged: ";

class DamagedData final : public std::runtime_error {
 public:
  explicit DamagedData(const std::string& what)
      : std::runtime_error(std::string(kDamageText) + what) {}
};

// Whether an error came of it, by its text.
inline bool is_damage(const Error& error) { return error.message().starts_with(kDamageText); }

[[noreturn]] void throw_damaged_record();

}  // namespace stator::storage

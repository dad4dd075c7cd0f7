// Damage met while reading stored bytes. What reads records is too deep inside rendering and
// evaluating to hand a Result up at each byte, so it throws; whoever runs requests, writes and
// chores catches, answers 500 and goes on.
#pragma once

#include <stdexcept>
#include <string>

namespace stator::storage {

class DamagedData final : public std::runtime_error {
 public:
  explicit DamagedData(const std::string& what)
      : std::runtime_error("the data is damaged: " + what) {}
};

[[noreturn]] void throw_damaged_record();

}  // namespace stator::storage

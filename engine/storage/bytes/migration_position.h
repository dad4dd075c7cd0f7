// How far the migration of an older data folder has come. Meta stores it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/errors/result.h"

namespace stator::storage {

// The oldest version whose data can be migrated.
inline constexpr std::uint32_t kOldestFormatVersion = 2;

struct MigrationPosition {
  std::uint32_t from = 0;     // the version before the migration
  std::uint8_t stage = 0;     // the next database; the migration's step defines the numbers
  std::string done_key = {};  // the last key converted there; empty if none

  std::string encode() const;
  static Result<MigrationPosition> decode(std::string_view bytes);
};

}  // namespace stator::storage

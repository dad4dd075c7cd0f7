// Migration: brings the data of an older format version to ours when a folder is opened. Internal
// to this folder.
//
// The commit that begins it writes our version and the position (Meta, `migration`); each further
// commit takes a bounded piece of the data along and moves the position, the last one removes it.
// So a process killed in the middle leaves a folder that only this version (or a later one) opens,
// and that goes on where it stood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/environment.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator::storage {

// The oldest version whose data can be brought along.
inline constexpr std::uint32_t kOldestFormatVersion = 2;

struct MigrationPosition {
  std::uint32_t from = 0;     // the version that the data is brought from
  std::uint8_t stage = 0;     // which database is next; what it means is the step's
  std::string done_key = {};  // the last key done there; empty: none

  std::string encode() const;
  static Result<MigrationPosition> decode(std::string_view bytes);
};

// Goes on with a migration that was begun, until it is done; nothing when there is none.
Result<void> finish_migration(Environment& environment, const MigrationListener& listener);

}  // namespace stator::storage

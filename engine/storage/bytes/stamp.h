// Stamp: when a record was last written, and by whom.
#pragma once

#include <cstdint>

#include "engine/seams/clock.h"

namespace stator::storage {

// Persisted: never change, only append.
enum class Origin : std::uint8_t {
  User = 0,
  TimeToLive = 1,   // the service, after the item expired
  Replication = 2,  // a replica of the table
};
inline constexpr Origin kLastOrigin = Origin::Replication;

// The stamp of an index entry is its item's.
struct Stamp {
  Timestamp time;  // the engine's clock at the commit; zero if older than stamps
  Origin origin = Origin::User;

  bool operator==(const Stamp&) const = default;
};

}  // namespace stator::storage

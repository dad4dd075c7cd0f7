// Stamp: when and by whom a record was last written.
#pragma once

#include <cstdint>

#include "engine/seams/clock.h"

namespace stator::storage {

// Persisted: never change, only append.
enum class Origin : std::uint8_t {
  User = 0,
  TimeToLive = 1,   // the service, because the item expired
  Replication = 2,  // a replica of the table
};
inline constexpr Origin kLastOrigin = Origin::Replication;

// Of an index entry: that of its item.
struct Stamp {
  Timestamp time;  // the engine's clock at the commit; zero: written before records knew
  Origin origin = Origin::User;

  bool operator==(const Stamp&) const = default;
};

}  // namespace stator::storage

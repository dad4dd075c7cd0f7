// Deleting expired items because somebody asks for it, not because they are due.
#pragma once

#include <cstdint>

#include "engine/call/work.h"

namespace stator {

class Engine;

struct ExpiredItems {
  enum class End : std::uint8_t {
    AllDeleted,
    GivenUp,        // the audience left
    CouldNotStore,  // the last piece of it
  };

  std::uint64_t deleted = 0;
  End end = End::AllDeleted;
};

// Deletes the items of all tables that are expired now (engine/schema/expiry.h), in pieces,
// whatever Settings::ttl_delay and ttl_sweep_interval say; also those whose table has not told all
// its times of expiry yet.
ExpiredItems delete_expired_items(Engine& engine, Audience& audience);

}  // namespace stator

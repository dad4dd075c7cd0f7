// A sync of data.mdb that takes as long as a test wants.
#pragma once

#include <atomic>
#include <future>

namespace stator::storage {

struct HeldSync {
  std::promise<void> entered;
  std::promise<void> let_go;
};

// The next sync of a file data.mdb tells that it has begun, and is done when it is let go.
extern std::atomic<HeldSync*> next_held_sync;

}  // namespace stator::storage

// EventRun: an event of Invoke that waits for its function, or is with it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/seams/clock.h"
#include "server/triggers/invocation/async_event.h"

namespace stator::triggers {

// Of all events that wait. More are refused.
inline constexpr std::size_t kEventsMax = 1000;
inline constexpr std::size_t kEventsBytesMax = std::size_t{64} << 20;

struct EventLoad {
  std::size_t count = 0;
  std::size_t bytes = 0;

  void add(const AsyncEvent& event) {
    ++count;
    bytes += event.event.size();
  }
  bool has_room(const AsyncEvent& event) const {
    return count < kEventsMax && bytes + event.event.size() <= kEventsBytesMax;
  }
};

struct EventRun {
  AsyncEvent event;
  Timestamp accepted = {};
  unsigned failures = 0;                     // calls that the function has failed
  unsigned misses = 0;                       // attempts in a row that reached no function
  std::uint64_t call = 0;                    // in flight; 0: none
  std::optional<Timestamp> not_before = {};  // of the next call
  bool waits_for_runtime = false;            // which ends `not_before`
  bool has_waited = false;                   // and has ended it
  std::uint64_t busy_since = 0;              // the turn; 0: not busy
  std::string last_error = {};
};

}  // namespace stator::triggers

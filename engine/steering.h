// Steering: moves the time of an engine forward as if it had passed: from one moment when something
// is due to the next, and what is due is done before time goes on.
#pragma once

#include <cstdint>

#include "engine/call/work.h"
#include "engine/seams/clock.h"
#include "engine/seams/movable_clock.h"

namespace stator {

class Engine;

enum class SteeringEnd : std::uint8_t {
  Arrived,        // it is `target`, and what was due until then has happened
  GivenUp,        // the audience left
  CouldNotStore,  // what is due now; it stays due
};

// Time stands where it has come, whatever the end: the engine's clock tells. Each piece of work is
// bounded, and the audience is asked between two. The pace of time stays. Returns at once when
// `target` is not ahead. REQUIRES: the engine was opened on `clock`, nobody else moves it or calls
// engine.maintain() meanwhile.
SteeringEnd steer(Engine& engine, MovableClock& clock, Timestamp target, Audience& audience);

}  // namespace stator

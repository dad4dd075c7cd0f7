#include "engine/steering.h"

#include <algorithm>

#include "engine/engine.h"

namespace stator {
namespace {

// Up to that far everything is done on the dot.
constexpr std::chrono::hours kShortMove{1};

SteeringEnd step_to(Engine& engine, MovableClock& clock, Timestamp target, Audience& audience) {
  for (;;) {
    if (!audience.is_waiting()) return SteeringEnd::GivenUp;
    const MaintenanceState left = engine.maintain();
    if (left.could_not_store) return SteeringEnd::CouldNotStore;
    if (left.is_due) continue;
    const Timestamp now = engine.clock().now();
    const Timestamp next = std::min(target, left.next_due.value_or(target));
    if (next > now) {
      clock.go_on(next, clock.pace().rate);
    } else if (now >= target && left.next_due.value_or(Timestamp::max()) > target) {
      return SteeringEnd::Arrived;
    }
  }
}

}  // namespace

SteeringEnd steer(Engine& engine, MovableClock& clock, Timestamp target, Audience& audience) {
  const std::chrono::microseconds length(target.unix_us - engine.clock().now().unix_us);
  const bool is_long = length > kShortMove;
  if (is_long && !engine.time_moves(length)) return SteeringEnd::CouldNotStore;
  SteeringEnd end = step_to(engine, clock, target, audience);
  if (is_long && !engine.time_moves({})) return SteeringEnd::CouldNotStore;
  if (is_long && end == SteeringEnd::Arrived) end = step_to(engine, clock, target, audience);
  const bool is_kept = engine.change([](const Catalog&, Timestamp, Mutation&) {});
  return is_kept ? end : SteeringEnd::CouldNotStore;
}

}  // namespace stator

// Moving time (control.h).
#include <algorithm>

#include "engine/api/control.h"
#include "engine/api/engine.h"

namespace stator {
namespace {

// Moves up to this length execute each chore at its exact time.
constexpr std::chrono::hours kShortMove{1};

// Chores make others due. No chain of them is as long.
constexpr int kRoundsMax = 16;
// How many steps a move takes beside writes that always make something due.
constexpr int kBusySteps = 16;

struct DueWork {
  enum class End : std::uint8_t { Done, Busy, Cancelled, Failed };
  End end;
  std::optional<Timestamp> next_due = {};  // of what is not due yet
};

// Does what is due while the clock stands there. Busy: the writes of others made something due in
// each of `rounds_max` rounds.
DueWork do_due(Engine& engine, int rounds_max, StopCondition& stop_condition) {
  MaintenanceState left;
  for (int round = 0; round < rounds_max; ++round) {
    engine.begin_round();
    do {
      if (stop_condition.should_stop()) return {DueWork::End::Cancelled};
      left = engine.maintain_together();
      if (left.could_not_store) return {DueWork::End::Failed};
    } while (left.is_round_open);
    if (!left.is_due) return {DueWork::End::Done, left.next_due};
  }
  return {DueWork::End::Busy, left.next_due};
}

AdvanceOutcome step_to(Engine& engine, MovableClock& clock, Timestamp target,
                       StopCondition& stop_condition) {
  const Timestamp start = engine.clock().now();
  const std::chrono::microseconds busy_step((target.unix_us - start.unix_us) / kBusySteps);
  bool is_busy = false;
  for (;;) {
    const bool has_arrived = engine.clock().now() >= target;
    const DueWork work = do_due(engine, is_busy && !has_arrived ? 1 : kRoundsMax, stop_condition);
    if (work.end == DueWork::End::Cancelled) return AdvanceOutcome::Cancelled;
    if (work.end == DueWork::End::Failed) return AdvanceOutcome::WriteFailed;
    if (has_arrived) return AdvanceOutcome::Arrived;
    is_busy = work.end == DueWork::End::Busy;
    const Timestamp now = engine.clock().now();
    Timestamp next = work.next_due.value_or(target);
    if (is_busy) next = std::max(next, now.plus(busy_step));
    next = std::min(next, target);
    if (next > now) clock.go_on(next, clock.pace().rate);
  }
}

}  // namespace

AdvanceOutcome steer(Engine& engine, MovableClock& clock, Timestamp target,
                     StopCondition& stop_condition) {
  const std::chrono::microseconds length(target.unix_us - engine.clock().now().unix_us);
  const bool is_long = length > kShortMove;
  if (is_long && !engine.on_clock_move(length)) return AdvanceOutcome::WriteFailed;
  AdvanceOutcome end = step_to(engine, clock, target, stop_condition);
  if (is_long && !engine.on_clock_move({})) return AdvanceOutcome::WriteFailed;
  if (is_long && end == AdvanceOutcome::Arrived)
    end = step_to(engine, clock, target, stop_condition);
  return store_clock(engine) ? end : AdvanceOutcome::WriteFailed;
}

// Every commit stores the clock (PersistedClock).
bool store_clock(Engine& engine) {
  return engine.change([](const Catalog&, Timestamp, Mutation&) {});
}

}  // namespace stator

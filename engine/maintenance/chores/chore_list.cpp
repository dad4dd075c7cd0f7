#include "engine/maintenance/chores/chore_list.h"

#include <algorithm>
#include <utility>

namespace stator {

ChoreSubject ChoreSubject::without_table(storage::SpaceId space) {
  return {space, std::make_shared<TableRuntime>()};
}

bool ChoreList::enter(const Chore& chore, Timestamp due) {
  const std::lock_guard lock(mutex_);
  return enter_locked(chore, due);
}

bool ChoreList::enter_locked(const Chore& chore, Timestamp due) {
  std::optional<Timestamp>& entered_for = entered(chore);
  if (entered_for && *entered_for <= due) return false;
  entered_for = due;
  waiting_.push({due, next_number_++, chore});
  return true;
}

void ChoreList::line_up(Timestamp now) {
  while (!waiting_.empty()) {
    const Waiting& next = waiting_.top();
    std::optional<Timestamp>& entered_for = entered(next.chore);
    const bool is_left_behind = entered_for != next.due;
    if (!is_left_behind) {
      if (next.due > now) return;
      entered_for = Timestamp::min();
      lines_[next.chore.kind].push_back(next.chore.subject);
    }
    waiting_.pop();
  }
}

std::optional<Chore> ChoreList::take(Timestamp now, const Kinds* kinds) {
  const std::lock_guard lock(mutex_);
  line_up(now);
  const bool is_in_round = is_round_open();
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::size_t kind = turn_++ % lines_.size();
    auto& line = lines_[kind];
    if (line.empty() || (is_in_round && in_round_[kind] == 0)) continue;
    if (kinds != nullptr && !(*kinds)[kind]) continue;
    if (in_round_[kind] > 0) --in_round_[kind];
    Chore chore{kind, std::move(line.front()), is_in_round};
    line.pop_front();
    entered(chore).reset();
    return chore;
  }
  return std::nullopt;
}

bool ChoreList::is_round_open() const {
  return std::any_of(in_round_.begin(), in_round_.end(), [](std::size_t left) { return left > 0; });
}

void ChoreList::begin_round(Timestamp now) {
  const std::lock_guard lock(mutex_);
  line_up(now);
  for (std::size_t kind = 0; kind < lines_.size(); ++kind) in_round_[kind] = lines_[kind].size();
}

// The queue has it last, unless another thread scheduled it first. Either way it is among those
// that the round has now.
void ChoreList::enter_again(const Chore& chore, Timestamp due, Timestamp now) {
  const std::lock_guard lock(mutex_);
  enter_locked(chore, due);
  if (due > now || !chore.is_in_round) return;
  line_up(now);
  in_round_[chore.kind] = lines_[chore.kind].size();
}

MaintenanceState ChoreList::state(Timestamp now) {
  const std::lock_guard lock(mutex_);
  line_up(now);
  MaintenanceState state;
  state.is_due =
      std::any_of(lines_.begin(), lines_.end(), [](const auto& line) { return !line.empty(); });
  state.is_round_open = is_round_open();
  if (!waiting_.empty()) state.next_due = waiting_.top().due;
  return state;
}

void ChoreList::clear() {
  const std::lock_guard lock(mutex_);
  for (; !waiting_.empty(); waiting_.pop()) entered(waiting_.top().chore).reset();
  for (std::size_t kind = 0; kind < lines_.size(); ++kind) {
    for (const ChoreSubject& subject : lines_[kind]) subject.runtime->chores_due[kind].reset();
    lines_[kind].clear();
    in_round_[kind] = 0;
  }
}

}  // namespace stator

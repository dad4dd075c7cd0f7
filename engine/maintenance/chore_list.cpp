#include "engine/maintenance/chore_list.h"

#include <algorithm>
#include <utility>

namespace stator {

bool ChoreList::enter(const Chore& chore, Timestamp due) {
  const std::lock_guard lock(mutex_);
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

std::optional<Chore> ChoreList::take(Timestamp now) {
  const std::lock_guard lock(mutex_);
  line_up(now);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::size_t kind = turn_++ % lines_.size();
    auto& line = lines_[kind];
    if (line.empty()) continue;
    Chore chore{kind, std::move(line.front())};
    line.pop_front();
    entered(chore).reset();
    return chore;
  }
  return std::nullopt;
}

MaintenanceState ChoreList::state(Timestamp now) {
  const std::lock_guard lock(mutex_);
  line_up(now);
  MaintenanceState state;
  state.is_due =
      std::any_of(lines_.begin(), lines_.end(), [](const auto& line) { return !line.empty(); });
  if (!state.is_due && !waiting_.empty()) state.next_due = waiting_.top().due;
  return state;
}

void ChoreList::clear() {
  const std::lock_guard lock(mutex_);
  for (; !waiting_.empty(); waiting_.pop()) entered(waiting_.top().chore).reset();
  for (std::size_t kind = 0; kind < lines_.size(); ++kind) {
    for (const ChoreSubject& subject : lines_[kind]) subject.runtime->chores_due[kind].reset();
    lines_[kind].clear();
  }
}

}  // namespace stator

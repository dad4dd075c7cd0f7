#include "engine/maintenance/chore_list.h"

#include <algorithm>

namespace stator {

bool ChoreList::enter(const Chore& chore, Timestamp due) {
  const std::lock_guard lock(mutex_);
  const auto [entered, is_new] = entered_.try_emplace(chore, due);
  if (!is_new && entered->second <= due) return false;
  entered->second = due;
  waiting_.push({due, next_number_++, chore});
  return true;
}

void ChoreList::line_up(Timestamp now) {
  while (!waiting_.empty()) {
    const Waiting& next = waiting_.top();
    const auto entered = entered_.find(next.chore);
    const bool is_left_behind = entered == entered_.end() || entered->second != next.due;
    if (!is_left_behind) {
      if (next.due > now) return;
      entered->second = Timestamp::min();
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
    const Chore chore{kind, line.front()};
    line.pop_front();
    entered_.erase(chore);
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

}  // namespace stator

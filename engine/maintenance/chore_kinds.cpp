#include "engine/maintenance/chore_kinds.h"

namespace stator {

std::vector<std::unique_ptr<ChoreKind>> make_chore_kinds(std::chrono::microseconds gsi_delay) {
  std::vector<std::unique_ptr<ChoreKind>> kinds;
  kinds.push_back(make_removal());
  kinds.push_back(make_sweep());
  kinds.push_back(make_late_changes(gsi_delay));
  kinds.push_back(make_backfill());
  kinds.push_back(make_journal_trim());
  return kinds;
}

}  // namespace stator

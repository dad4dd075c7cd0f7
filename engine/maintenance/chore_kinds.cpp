#include "engine/maintenance/chore_kinds.h"

namespace stator {

std::vector<std::unique_ptr<ChoreKind>> make_chore_kinds() {
  std::vector<std::unique_ptr<ChoreKind>> kinds;
  kinds.push_back(make_removal());
  kinds.push_back(make_sweep());
  kinds.push_back(make_late_changes());
  kinds.push_back(make_backfill());
  return kinds;
}

}  // namespace stator

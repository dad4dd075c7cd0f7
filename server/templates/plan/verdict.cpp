#include "server/templates/plan/verdict.h"

namespace stator::templates {

Verdict verdict_of(const Plan& plan, const Permissions& permissions) {
  using Mode = Permissions::Mode;
  const bool is_empty = plan.is_empty();
  if (permissions.mode == Mode::Plan) return {};
  if (permissions.mode == Mode::Check) return {false, is_empty ? 0 : kDifferentStatus, {}};
  if (is_empty) return {};
  for (const PlannedTable& planned : plan.tables) {
    if (!planned.is_locked()) continue;
    std::string reason = planned.wanted.name;
    reason.append(" has DeletionProtection, so it is not replaced; nothing was changed");
    return {false, kDifferentStatus, reason};
  }
  for (const PrunedTable& pruned : plan.pruned) {
    if (!pruned.is_protected) continue;
    std::string reason = pruned.name;
    reason.append(" has DeletionProtection, so it is not deleted; nothing was changed");
    return {false, kDifferentStatus, reason};
  }
  if (plan.count(Action::Replace) > 0 && !permissions.allows_replacement) {
    return {false, kDifferentStatus,
            "a table would be replaced and lose its items, which needs --allow-replace; nothing "
            "was changed"};
  }
  if (!permissions.is_loopback && !permissions.is_confirmed) {
    return {false, kMistakeStatus,
            "the endpoint is not on this machine, which needs --yes; nothing was changed"};
  }
  return {true, 0, {}};
}

}  // namespace stator::templates

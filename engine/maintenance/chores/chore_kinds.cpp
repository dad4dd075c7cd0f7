#include "engine/maintenance/chores/chore_kinds.h"

namespace stator {

std::vector<std::unique_ptr<ChoreKind>> make_chore_kinds(const Settings& settings) {
  std::vector<std::unique_ptr<ChoreKind>> kinds;
  kinds.push_back(make_removal());
  kinds.push_back(make_sweep());
  kinds.push_back(make_late_changes(settings));
  kinds.push_back(make_backfill());
  kinds.push_back(make_journal_trim());
  kinds.push_back(make_expiry_build());
  kinds.push_back(make_expiry_sweep(settings));
  kinds.push_back(make_stream_upkeep(settings.streams));
  kinds.push_back(make_stream_bound());
  kinds.push_back(make_token_sweep());
  kinds.push_back(make_item_copy());
  kinds.push_back(make_history_upkeep());
  kinds.push_back(make_history_bound());
  kinds.push_back(make_kept_changes());
  kinds.push_back(make_backup_expiry());
  kinds.push_back(make_kinesis_delivery(!settings.has_kinesis_server));
  kinds.push_back(make_kinesis_retention());
  return kinds;
}

}  // namespace stator

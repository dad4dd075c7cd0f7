// Hints about imports: a table that is not there, or not yet.
#include "server/explain/hints/hints.h"

namespace stator {

void hint_at_import(const HintInput& hinted, std::vector<std::string>& hints) {
  const bool is_missing = hinted.has_failed_with("ResourceNotFoundException") ||
                          hinted.has_failed_with("TableNotFoundException") ||
                          hinted.has_failed_with("ResourceInUseException");
  const bool is_there =
      hinted.table != nullptr && hinted.table->status(hinted.now) != TableStatus::Creating;
  if (!is_missing || is_there || hinted.table_name.empty()) return;
  const auto job = hinted.tables.last_import(hinted.scope, hinted.table_name);
  if (!job || job->status == ImportStatus::Completed) return;
  std::string hint = "ImportTable of '" + job->table.name + "' ";
  if (job->is_in_progress()) {
    hint += "is in progress: " + std::to_string(job->progress.processed_items) +
            " items are read, and the table can be used at its end";
  } else {
    hint += "failed with " + job->failure_code + ": " + job->failure_message;
  }
  hints.push_back(std::move(hint));
}

}  // namespace stator

#include "server/cli/commands/folder_commands.h"

#include <string>

#include "engine/data_folder/data_folder.h"
#include "server/log/say.h"
#include "server/triggers/mapping_store.h"

namespace stator {

int run_backup(const BackupOptions& options) {
  const auto made = back_up_data_folder(options.source, options.target);
  if (!made) return fail(made.error());
  say(options.target + " is a copy of " + options.source);
  return 0;
}

int run_check(const CheckOptions& options) {
  const auto report = check_data_folder(options.folder, triggers::document_problem);
  if (!report) return fail(report.error());
  for (const std::string& finding : report->findings) say(finding);
  if (!report->findings.empty()) return fail(options.folder + " is damaged");
  say(options.folder + " is whole: " + std::to_string(report->tables) + " tables, " +
      std::to_string(report->items) + " items, " + std::to_string(report->index_entries) +
      " entries of indexes");
  return 0;
}

int run_compact(const CompactOptions& options) {
  const auto made = compact_data_folder(options.folder);
  if (!made) return fail(made.error());
  say(options.folder + " takes " + std::to_string(made->bytes_after) + " bytes, " +
      std::to_string(made->bytes_before) + " before");
  return 0;
}

}  // namespace stator

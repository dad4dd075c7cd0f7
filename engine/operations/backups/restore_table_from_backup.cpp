// RestoreTableFromBackup. The response says CREATING; a small table is complete with the request.

#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/backups/restore_target.h"
#include "engine/operations/define.h"
#include "engine/state/item_copies.h"
#include "engine/state/mutation.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct RestoreTableFromBackup {
  static constexpr std::string_view name = "RestoreTableFromBackup";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    const JsonNode* body;
    BackupArn arn;
    std::string_view target_name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_restore_body(body, model::kRestoreTableFromBackupInput, call));
    STATOR_TRY(const BackupArn arn, parse_backup_arn(*string_member(body, "BackupArn")));
    return call.arena.make<Request>(&body, arn, call.table_name);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Backup backup, find_backup_to_restore(snapshot, call, request.arn));
    if (backup.is_creating(snapshot.now())) return backup_in_use("created", request.arn.text);
    STATOR_CHECK(check_restore_target(snapshot, call));
    STATOR_TRY(const bool is_restoring, is_being_copied(snapshot.transaction(), backup.space));
    if (is_restoring) return backup_in_use("used to restore another table", request.arn.text);
    Restore restore;
    restore.copy.source = backup.space;
    restore.backup_arn = request.arn.text;
    restore.table_arn = request.arn.table_arn;
    restore.moment = backup.created;
    STATOR_TRY(Table table, restored_table(backup.table, std::move(restore), *request.body,
                                           snapshot, mutation.random(), call));
    STATOR_CHECK(render_restored(table, snapshot, call));
    mutation.put_table(std::move(table));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.arn.text});
    touched.push_back({.table = request.target_name});
    touch_restored_items(request.target_name, touched);
  }
};

}  // namespace

Operation restore_table_from_backup_row() { return define<RestoreTableFromBackup>(); }

}  // namespace stator

// DeleteBackup. Its items are removed later.

#include "engine/operations/backups/backup_description.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/define.h"
#include "engine/seams/iso_time.h"
#include "engine/state/item_copies.h"
#include "engine/state/mutation.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

struct DeleteBackup {
  static constexpr std::string_view name = "DeleteBackup";
  static constexpr Layer layer = Layer::Classic;
  static constexpr bool only_frees_space = true;
  struct Request {
    BackupArn arn;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kDeleteBackupInput));
    STATOR_CHECK(check_constraints(body, model::kDeleteBackupInput, call.wording));
    STATOR_TRY(const BackupArn arn, parse_backup_arn(*string_member(body, "BackupArn")));
    call.table_name = arn.table_name;
    return call.arena.make<Request>(arn);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(Backup backup, find_backup(snapshot, call, request.arn));
    const std::string_view arn = request.arn.text;
    if (backup.type == BackupType::System) {
      return Error::validation(
          "Invalid Request: User is not allowed to delete the system backup with arn " +
          std::string(arn) + ". It will automatically expire on " + iso_extended(*backup.expires));
    }
    if (backup.is_creating(snapshot.now())) return backup_in_use("created", arn);
    STATOR_TRY(const bool is_restoring, is_being_copied(snapshot.transaction(), backup.space));
    if (is_restoring) return backup_in_use("used to restore table", arn);
    JsonWriter out(call.reply);
    out.begin_object();
    write_backup_description(out, backup, "DELETED");
    out.end_object();
    mutation.erase_backup(std::move(backup));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.arn.text});
  }
};

}  // namespace

Operation delete_backup_row() { return define<DeleteBackup>(); }

}  // namespace stator

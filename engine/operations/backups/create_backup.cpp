// CreateBackup. The response says CREATING; a small table's backup is complete with the request.

#include "engine/call/settings.h"
#include "engine/operations/backups/backup_description.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/define.h"
#include "engine/operations/jobs/job_start.h"
#include "engine/state/mutation.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct CreateBackup {
  static constexpr std::string_view name = "CreateBackup";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
    std::string_view backup_name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kCreateBackupInput, call));
    return call.arena.make<Request>(call.table_name, *string_member(body, "BackupName"));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, backup_table(snapshot, call, request.table_name));
    STATOR_TRY(const SpaceStats stats, snapshot.stats(table->space));
    Backup backup;
    backup.scope = table->scope;
    backup.name = request.backup_name;
    backup.created = snapshot.now();
    backup.creating_until = snapshot.now().settled_after(call.settings->control_plane_delay);
    backup.table = *table;
    backup.item_count = stats.item_count;
    backup.size_bytes = stats.size_bytes;
    backup.copy.emplace().source = table->space;
    STATOR_TRY(backup.id, new_job_id<storage::Backups>(backup.scope, table->name, snapshot,
                                                       mutation.random()));
    JsonWriter out(call.reply);
    out.begin_object();
    write_backup_details(out, backup, "CREATING");
    out.end_object();
    mutation.put_backup(std::move(backup));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation create_backup_row() { return define<CreateBackup>(); }

}  // namespace stator

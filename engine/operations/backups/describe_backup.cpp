// DescribeBackup.

#include "engine/operations/backups/backup_description.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/define.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

struct DescribeBackup {
  static constexpr std::string_view name = "DescribeBackup";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    BackupArn arn;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kDescribeBackupInput));
    STATOR_CHECK(check_constraints(body, model::kDescribeBackupInput, call.wording));
    STATOR_TRY(const BackupArn arn, parse_backup_arn(*string_member(body, "BackupArn")));
    call.table_name = arn.table_name;
    return call.arena.make<Request>(arn);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Backup backup, find_backup(snapshot, call, request.arn));
    JsonWriter out(call.reply);
    out.begin_object();
    write_backup_description(out, backup, backup_status(backup, snapshot.now()));
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.arn.text});
  }
};

}  // namespace

Operation describe_backup_row() { return define<DescribeBackup>(); }

}  // namespace stator

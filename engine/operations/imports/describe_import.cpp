// DescribeImport.

#include <string>

#include "engine/call/scope.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/define.h"
#include "engine/operations/imports/import_description.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/model/shapes.h"
#include "protocol/service/arn.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::string_view kImportPart = "/import/";

struct DescribeImport {
  static constexpr std::string_view name = "DescribeImport";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view text;  // of the ARN
    TableArn table;
    std::string_view id;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kDescribeImportInput));
    STATOR_CHECK(check_constraints(body, model::kDescribeImportInput, call.wording));
    const std::string_view text = *string_member(body, "ImportArn");
    const auto arn = parse_table_arn(text);
    if (!arn || !arn->rest.starts_with(kImportPart)) return Error::validation("Invalid Import ARN");
    STATOR_CHECK(check_own_account(arn->account_id, call));
    call.table_name = arn->table_name;
    return call.arena.make<Request>(text, *arn, arn->rest.substr(kImportPart.size()));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    Error missing(ErrorCode::ImportNotFound, "Import not found: " + std::string(request.text));
    if (request.id.size() != storage::kBackupIdBytes) return missing;
    STATOR_TRY(const auto job,
               storage::Imports::find(snapshot.transaction(), scope_of(call, call.arena),
                                      request.id, request.table.table_name));
    if (!job || job->is_gone(snapshot.now()) || job->arn() != request.text) return missing;
    JsonWriter out(call.reply);
    out.begin_object();
    write_import_description(out, *job);
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.text});
  }
};

}  // namespace

Operation describe_import_row() { return define<DescribeImport>(); }

}  // namespace stator

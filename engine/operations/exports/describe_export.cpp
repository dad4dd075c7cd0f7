// DescribeExport.

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/call/scope.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/define.h"
#include "engine/operations/exports/export_description.h"
#include "engine/operations/exports/export_requests.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

Error not_found(std::string_view why) {
  return Error(ErrorCode::ExportNotFound, "Export not found: " + std::string(why));
}

// The account of any ARN, whatever else it names; empty if the text is none.
std::string_view account_of(std::string_view text) {
  constexpr int kAccountPart = 4;
  if (!text.starts_with("arn:")) return {};
  for (int part = 0; part < kAccountPart; ++part) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {};
    text.remove_prefix(colon + 1);
  }
  return text.substr(0, text.find(':'));
}

struct DescribeExport {
  static constexpr std::string_view name = "DescribeExport";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view text;  // of the ARN
    ExportArn arn;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kDescribeExportInput));
    STATOR_CHECK(check_constraints(body, model::kDescribeExportInput, call.wording));
    const std::string_view text = *string_member(body, "ExportArn");
    // The account is checked before what the ARN names.
    if (const auto account = account_of(text); !account.empty())
      STATOR_CHECK(check_own_account(account, call));
    STATOR_TRY(const ExportArn arn, parse_export_arn(text));
    if (arn.table.region != call.caller.region) return not_found("Invalid export arn");
    call.table_name = arn.table.table_name;
    return call.arena.make<Request>(text, arn);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    Error missing = not_found("Export not found: " + std::string(request.text));
    if (request.arn.id.size() != storage::kBackupIdBytes) return missing;
    STATOR_TRY(const auto job,
               storage::Exports::find(snapshot.transaction(), scope_of(call, call.arena),
                                      request.arn.id, request.arn.table.table_name));
    if (!job || job->is_gone(snapshot.now()) || job->arn() != request.text) return missing;
    JsonWriter out(call.reply);
    out.begin_object();
    write_export_description(out, *job);
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.text});
  }
};

}  // namespace

Operation describe_export_row() { return define<DescribeExport>(); }

}  // namespace stator

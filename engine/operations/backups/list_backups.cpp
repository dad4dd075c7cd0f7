// ListBackups: the backups of all tables or of one, in the order of their creation, a page at a
// time.

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/operations/backups/backup_description.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/define.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/model/shapes.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::int64_t kDefaultLimit = 100;

struct ListBackups {
  static constexpr std::string_view name = "ListBackups";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table;       // as in the request; empty: backups of all tables
    std::string_view table_name;  // its name
    std::optional<Timestamp> lower;
    std::optional<Timestamp> upper;
    std::string_view type;
    std::optional<BackupArn> after;
    std::size_t count_max;

    bool includes(const Backup& backup) const {
      const bool is_wanted = type == "ALL" || type == to_text(backup.type);
      return is_wanted && (table_name.empty() || backup.table.name == table_name) &&
             (!lower || backup.created >= *lower) && (!upper || backup.created < *upper);
    }
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kListBackupsInput));
    STATOR_CHECK(check_constraints(body, model::kListBackupsInput, call.wording));
    const std::string_view table = string_member(body, "TableName").value_or("");
    call.table_name = table_name_of(table);
    const auto lower = time_member(body, "TimeRangeLowerBound");
    const auto upper = time_member(body, "TimeRangeUpperBound");
    if (lower && upper && *lower > *upper) {
      return invalid_parameter("Time range lower bound must be less than or equal to upper bound");
    }
    std::optional<BackupArn> after;
    if (const auto arn = string_member(body, "ExclusiveStartBackupArn")) {
      STATOR_TRY(after, parse_backup_arn(*arn));
      if (after->region != call.caller.region) {
        return Error::validation(
            "Invalid Request: The supplied ExclusiveStartBackupArn does not match the region");
      }
    }
    return call.arena.make<Request>(
        table, call.table_name, lower, upper, string_member(body, "BackupType").value_or("USER"),
        after, static_cast<std::size_t>(integer_member(body, "Limit").value_or(kDefaultLimit)));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const std::string_view scope = scope_of(call, call.arena);
    storage::DescriptionPosition position{};
    if (request.after) position = {request.after->id, request.after->table_name};
    std::vector<Backup> page;
    bool has_more = false;
    for (Backup last; !has_more;) {
      STATOR_TRY(auto next, storage::Backups::next(snapshot.transaction(), scope, position));
      if (!next) break;
      last = *std::move(next);
      position = {last.id, last.table.name};
      if (!request.includes(last)) continue;
      has_more = page.size() == request.count_max;
      if (!has_more) page.push_back(last);
    }
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("BackupSummaries");
    out.begin_array();
    for (const Backup& backup : page)
      write_backup_summary(out, backup, backup_status(backup, snapshot.now()));
    out.end_array();
    if (has_more) out.member("LastEvaluatedBackupArn", std::string_view(page.back().arn()));
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table, .reach = Reach::AllTables});
  }
};

}  // namespace

Operation list_backups_row() { return define<ListBackups>(); }

}  // namespace stator

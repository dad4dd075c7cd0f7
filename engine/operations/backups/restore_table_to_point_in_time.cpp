// RestoreTableToPointInTime. The table as it is now, copied, goes back to the moment with the
// history that the source retains (engine/state/history.h). The settings are the source's of now.

#include <string>

#include "engine/call/scope.h"
#include "engine/call/settings.h"
#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/backups/restore_target.h"
#include "engine/operations/define.h"
#include "engine/seams/iso_time.h"
#include "engine/state/history.h"
#include "engine/state/mutation.h"
#include "protocol/model/shapes.h"
#include "protocol/service/arn.h"
#include "protocol/service/common_errors.h"

namespace stator {
namespace {

struct RestoreTableToPointInTime {
  static constexpr std::string_view name = "RestoreTableToPointInTime";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    const JsonNode* body;
    std::string_view source;  // name or ARN
    std::string_view target_name;
    std::optional<Timestamp> moment;  // empty: the latest possible
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_restore_body(body, model::kRestoreTableToPointInTimeInput, call));
    const auto moment = time_member(body, "RestoreDateTime");
    const bool is_latest = boolean_member(body, "UseLatestRestorableTime").value_or(false);
    if (moment && is_latest) {
      return Error::validation(
          "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for "
          "point-in-time restore request.");
    }
    if (!moment && !is_latest) {
      return Error::validation(
          "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be "
          "specified, but not both");
    }
    STATOR_TRY(const std::string_view source, source_of(body));
    return call.arena.make<Request>(&body, source, call.table_name, moment);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* source, find_source(request.source, snapshot, call));
    STATOR_CHECK(check_recovery(*source));
    const RecoveryWindow window =
        recovery_window(*source->recovery, call.settings->history_lag, snapshot.now());
    const Timestamp moment = request.moment.value_or(window.latest);
    if (!window.includes(moment)) {
      return Error(ErrorCode::InvalidRestoreTime,
                   "RestoreDateTime '" + iso_extended(moment) +
                       "' must be within EarliestRestorableDateTime '" +
                       iso_extended(window.earliest) + "' and LatestRestorableDateTime '" +
                       iso_extended(window.latest) + "'");
    }
    STATOR_CHECK(check_restore_target(snapshot, call));
    Restore restore;
    restore.copy.source = source->space;
    restore.table_arn = source->arn();
    restore.moment = moment;
    STATOR_TRY(restore.copy.first_change,
               first_change_of(*source, end_of_moment(moment), snapshot.transaction()));
    STATOR_TRY(Table table, restored_table(*source, std::move(restore), *request.body, snapshot,
                                           mutation.random(), call));
    STATOR_CHECK(render_restored(table, snapshot, call));
    mutation.put_table(std::move(table));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.source});
    touch_restored_items(request.target_name, touched);
  }

 private:
  // An ARN may name a table of another Region.
  static Result<const Table*> find_source(std::string_view source, const Snapshot& snapshot,
                                          const Call& call) {
    const auto arn = parse_table_arn(source);
    if (!arn || arn->region == call.caller.region) return backup_table(snapshot, call, source);
    Arena arena;
    const Table* table = snapshot.catalog().find(scope_in(arn->region, call, arena),
                                                 arn->table_name, snapshot.now());
    const bool is_found = table != nullptr && table->arn() == source &&
                          table->status(snapshot.now()) != TableStatus::Creating;
    return is_found ? Result<const Table*>(table) : Error::table_not_found(source);
  }

  static Result<std::string_view> source_of(const JsonNode& body) {
    const auto source_name = string_member(body, "SourceTableName");
    const auto arn = string_member(body, "SourceTableArn");
    if (source_name && arn)
      return Error::validation("Must provide exactly one of: sourceTableArn, sourceTableName");
    if (source_name) return *source_name;
    if (!arn) {
      return Error::validation(
          "The parameter 'TableName' is required but was not present in the request");
    }
    const auto parsed = parse_table_arn(*arn);
    if (!parsed || !parsed->rest.empty())
      return invalid_parameter("sourceTableArn is not a valid ARN");
    return *arn;
  }

  static Result<std::uint64_t> first_change_of(const Table& source, Timestamp moment,
                                               const storage::Transaction& transaction) {
    STATOR_TRY(const auto first, first_of_history(transaction, source));
    return storage::first_change_after(transaction, source.space, first ? first->number : 0,
                                       moment);
  }
};

}  // namespace

Operation restore_table_to_point_in_time_row() { return define<RestoreTableToPointInTime>(); }

}  // namespace stator

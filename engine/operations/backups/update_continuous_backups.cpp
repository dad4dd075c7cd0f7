// UpdateContinuousBackups: point-in-time recovery on, off, or with another period. It takes effect
// at once (conformance/observed/backups.md 3).

#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/backups/recovery_description.h"
#include "engine/operations/define.h"
#include "engine/state/mutation.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr std::int64_t kDefaultPeriodDays = 35;

struct UpdateContinuousBackups {
  static constexpr std::string_view name = "UpdateContinuousBackups";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
    bool enables;
    std::int64_t period_days;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kUpdateContinuousBackupsInput, call));
    const JsonNode& wanted = *body.find("PointInTimeRecoverySpecification");
    const bool enables = *boolean_member(wanted, "PointInTimeRecoveryEnabled");
    const auto period_days = integer_member(wanted, "RecoveryPeriodInDays");
    if (!enables && period_days) {
      return Error::validation(
          "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
          "recovery.");
    }
    return call.arena.make<Request>(call.table_name, enables,
                                    period_days.value_or(kDefaultPeriodDays));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, backup_table(snapshot, call, request.table_name));
    Table changed = *table;
    if (!request.enables) {
      changed.recovery.reset();
    } else if (changed.recovery) {
      changed.recovery->period_days = request.period_days;
    } else {
      changed.recovery = PointInTimeRecovery{.enabled = snapshot.now(),
                                             .period_days = request.period_days,
                                             .earliest = snapshot.now(),
                                             .space = {}};
    }
    render_continuous_backups(changed, snapshot.now(), call);
    mutation.put_table(std::move(changed));
    return {};
  }

  // Disabling it gives up the history.
  static bool only_frees_space(const Request& request) { return !request.enables; }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation update_continuous_backups_row() { return define<UpdateContinuousBackups>(); }

}  // namespace stator

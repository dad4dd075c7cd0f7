#include "engine/operations/backups/recovery_description.h"

#include "engine/call/settings.h"
#include "engine/state/history.h"
#include "protocol/json/json_writer.h"

namespace stator {

void render_continuous_backups(const Table& table, Timestamp now, Call& call) {
  JsonWriter out(call.reply);
  out.begin_object();
  out.key("ContinuousBackupsDescription");
  out.begin_object();
  // On-demand backups are possible for each table: this is not the state of recovery.
  out.member("ContinuousBackupsStatus", "ENABLED");
  out.key("PointInTimeRecoveryDescription");
  out.begin_object();
  if (table.recovery) {
    const RecoveryWindow window = recovery_window(*table.recovery, call.settings->history_lag, now);
    out.key("EarliestRestorableDateTime");
    out.timestamp_ms(window.earliest.unix_ms());
    out.key("LatestRestorableDateTime");
    out.timestamp_ms(window.latest.unix_ms());
  }
  out.member("PointInTimeRecoveryStatus", table.recovery ? "ENABLED" : "DISABLED");
  if (table.recovery) out.member("RecoveryPeriodInDays", table.recovery->period_days);
  out.end_object();
  out.end_object();
  out.end_object();
}

}  // namespace stator

// Hints about point-in-time recovery: that it is off, and how far back it goes.
#include <cmath>
#include <cstdlib>

#include "engine/call/scope.h"
#include "engine/seams/iso_time.h"
#include "server/explain/hints/hints.h"

namespace stator {

namespace {

// No time in seconds is that far away.
constexpr double kLooksLikeMilliseconds = 1e11;

// The table that a restore or an export reads, if it exists.
const Table* source_of(const HintInput& hinted) {
  for (const std::string_view name :
       {"SourceTableName", "SourceTableArn", "TableArn", "TableName"}) {
    const JsonNode* const member = hinted.member(name);
    if (member == nullptr || member->kind() != JsonNode::Kind::String) continue;
    return hinted.tables.find(hinted.scope, table_name_of(member->text()));
  }
  return nullptr;
}

bool is_in_milliseconds(const JsonNode* time) {
  if (time == nullptr) return false;
  const bool is_number =
      time->kind() == JsonNode::Kind::Integer || time->kind() == JsonNode::Kind::Decimal;
  return is_number &&
         std::abs(std::strtod(std::string(time->text()).c_str(), nullptr)) > kLooksLikeMilliseconds;
}

void hint_at_window(const HintInput& hinted, const PointInTimeRecovery& recovery,
                    std::vector<std::string>& hints) {
  if (is_in_milliseconds(hinted.member("RestoreDateTime"))) {
    hints.emplace_back("RestoreDateTime is in seconds; this one looks like milliseconds");
    return;
  }
  std::string hint = "Recovery was enabled at " + iso_extended(recovery.enabled) +
                     ", and the engine's time is " + iso_extended(hinted.now);
  if (recovery.earliest > recovery.enabled) {
    hint += "; history before " + iso_extended(recovery.earliest) +
            " had to go because of --pitr-max-bytes or a full store";
  }
  hints.push_back(std::move(hint));
}

}  // namespace

void hint_at_recovery(const HintInput& hinted, std::vector<std::string>& hints) {
  const Table* const source = source_of(hinted);
  if (source == nullptr) return;
  if (hinted.has_failed_with("PointInTimeRecoveryUnavailableException") && !source->recovery) {
    hints.push_back(
        "UpdateContinuousBackups with PointInTimeRecoveryEnabled=true begins the history of '" +
        source->name + "': nothing before it can be restored or exported");
  }
  if (hinted.has_failed_with("InvalidRestoreTimeException") && source->recovery)
    hint_at_window(hinted, *source->recovery, hints);
}

}  // namespace stator

#include "engine/tables/time_to_live.h"

#include <optional>

namespace stator {

ShownTimeToLive shown_time_to_live(const Table& table, Timestamp now) {
  const std::optional<TimeToLive>& setting = table.time_to_live;
  const bool is_changing = setting && now < setting->changing_until;
  const bool is_enabled = table.expiry() != nullptr;
  if (!is_enabled && !is_changing) return {"DISABLED", {}};
  if (!is_changing) return {"ENABLED", setting->attribute_name};
  return {is_enabled ? "ENABLING" : "DISABLING", setting->attribute_name};
}

}  // namespace stator

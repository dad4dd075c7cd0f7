#include "server/admin/setting_rows.h"

#include <algorithm>

#include "server/dispatch/live_settings.h"
#include "server/options/flag_values.h"

namespace stator {

void write_setting_rows(JsonWriter& json, const AdminParts& parts) {
  Options options = parts.options;
  options.settings = parts.live->now();
  options.requests_kept = parts.live->requests_kept();
  json.key("settings");
  json.begin_array();
  for (const FlagValue& flag : flag_values(options)) {
    const auto all = live_settings();
    const bool is_live = std::any_of(
        all.begin(), all.end(), [&flag](const LiveSetting& one) { return one.name == flag.name; });
    json.begin_object();
    json.member("name", flag.name);
    json.member("value", flag.value);
    json.member("from", parts.live->is_changed(flag.name) ? "verb" : flag.from);
    json.member("live", is_live);
    json.end_object();
  }
  json.end_array();
}

}  // namespace stator

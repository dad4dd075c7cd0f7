// Explanations: the record of a request and its hints, as JSON.
#pragma once

#include <string>
#include <string_view>

#include "engine/api/dry_run.h"
#include "protocol/json/json_writer.h"
#include "server/explain/hints/hints.h"
#include "server/explain/requests/recent_requests.h"

namespace stator {

// The value of `origin`: "client", "console" or "mcp".
std::string_view origin_name(const RecentRequest& request);

// Writes members of an object. Omits what is unknown.
void write_summary(JsonWriter& json, const RecentRequest& request, const Findings& findings);
// Writes the beginnings of the body and of the response.
void write_bodies(JsonWriter& json, const RecentRequest& request);

// The value of the response header x-stator-explain: an object on one line of ASCII, of at most 16
// KiB. Omits what the response itself says. `would`: of a dry run, else nullptr.
std::string header_text(const RecentRequest& request, const Findings& findings,
                        const DryRun* would = nullptr);

}  // namespace stator

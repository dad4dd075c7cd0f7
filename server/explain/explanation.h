// Explanations: what was kept of a request, and hints at it, as JSON.
#pragma once

#include <string>

#include "protocol/json_writer.h"
#include "server/explain/hints.h"
#include "server/explain/recent_requests.h"

namespace stator {

// Members of an object. What is not known is left out.
void write_summary(JsonWriter& json, const RecentRequest& request, const Findings& findings);
// The beginnings of the body and of the answer.
void write_bodies(JsonWriter& json, const RecentRequest& request);

// What an answer's head tells of its request, beside what the answer itself does: an object on one
// line of ASCII, of at most 16 KiB.
std::string header_text(const RecentRequest& request, const Findings& findings);

}  // namespace stator

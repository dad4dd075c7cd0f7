// /_stator/due: what happens at known times, so what a move of the clock would do.
#include <string>

#include "engine/api/engine.h"
#include "engine/reports/views/due_events.h"
#include "engine/seams/iso_time.h"
#include "engine/seams/movable_clock.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/dispatch/live_settings.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

struct DueQuery {
  Timestamp until = MovableClock::kEnd;
  std::size_t limit = kListLimitMax;
};

// Returns what is invalid; empty if nothing is.
std::string read_due_query(std::string_view text, DueQuery& query) {
  std::string why;
  for_each_parameter(text, [&](std::string_view name, std::string_view value) {
    if (name == "until") {
      const auto time = parse_iso_extended(percent_decoded(value));
      if (!time) why = "until is to be a time such as 2027-01-01T00:00:00Z";
      query.until = time.value_or(query.until);
    }
    if (name == "limit" && !read_list_limit(value, query.limit)) why = kListLimitText;
    return why.empty();
  });
  return why;
}

void write_event(JsonWriter& json, const DueEvent& event) {
  json.begin_object();
  json.member("time", iso_extended(event.time));
  json.member("kind", to_text(event.kind));
  write_label(json, event.label);
  if (!event.index.empty()) json.member("index", event.index);
  json.member("what", event.what);
  if (event.count) json.member("count", static_cast<std::int64_t>(*event.count));
  json.end_object();
}

}  // namespace

AdminResponse show_due(AdminRequest& request) {
  DueQuery query;
  if (const std::string why = read_due_query(request.query, query); !why.empty())
    return admin_error(400, why);
  DueEvents due;
  Engine::Reader reader(request.parts.engine);
  const auto found =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        STATOR_TRY(due, due_events(snapshot, request.parts.live->now(), query.until, query.limit,
                                   request.stop_condition));
        return {};
      });
  if (!found) return admin_error(500, found.error().message());
  if (due.is_stopped)
    return admin_error(503, "not all was read while this request could wait: ask again");
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("due");
  json.begin_array();
  for (const DueEvent& event : due.events) write_event(json, event);
  json.end_array();
  json.member("more", due.has_more);
  json.end_object();
  return answer;
}

}  // namespace stator

// /_stator/requests: the last requests and their outcomes.
#include <cstdint>

#include "engine/api/engine.h"
#include "server/admin/verbs.h"
#include "server/dispatch/live_settings.h"
#include "server/explain/explanation.h"
#include "server/explain/hints/hints.h"
#include "server/explain/request_list.h"
#include "server/explain/requests/recent_requests.h"

namespace stator {

namespace {

constexpr std::string_view kNoneKept = "the server remembers no requests: --explain 0";

// The position for the next list, under both of its names.
void put_cursor(JsonWriter& json, std::uint64_t cursor) {
  json.member("cursor", static_cast<std::int64_t>(cursor));
  json.member("last", static_cast<std::int64_t>(cursor));
}

// The list for a reader that asks again and again: oldest first, each request by itself.
AdminResponse follow_requests(AdminRequest& request, const RequestQuery& query) {
  using Show = RequestQuery::Show;
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("requests");
  json.begin_array();
  RecentRequests::Progress followed{};
  std::size_t count = 0;
  Engine::Reader reader(request.parts.engine);
  const auto shown = request.parts.engine.look(reader, [&](const Snapshot& snapshot) {
    StreamWaits waits(*request.parts.recent, snapshot);
    followed = request.parts.recent->follow(
        [&](const RecentRequest& kept) {
          if (!query.is_meant(kept)) return true;
          if (count == query.limit || request.stop_condition.should_stop()) return false;
          const Findings findings = findings_of(kept, snapshot, request.parts.live->now(), &waits);
          if (query.show == Show::Hints && !kept.has_failed() && findings.hints.empty())
            return true;
          json.begin_object();
          write_summary(json, kept, findings);
          json.end_object();
          ++count;
          return true;
        },
        *query.after);
    return Result<void>();
  });
  if (!shown) return admin_error(500, shown.error().message());
  json.end_array();
  put_cursor(json, followed.last);
  json.member("lost", static_cast<std::int64_t>(followed.lost));
  json.end_object();
  return answer;
}

}  // namespace

AdminResponse show_requests(AdminRequest& request) {
  const RecentRequests* const recent = request.parts.recent;
  if (recent == nullptr || !recent->is_on()) return admin_error(404, kNoneKept);
  const auto query = read_request_query(request.query);
  if (!query) return admin_error(400, query.error());
  if (query->after) return follow_requests(request, *query);
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("requests");
  json.begin_array();
  std::uint64_t cursor = 0;
  Engine::Reader reader(request.parts.engine);
  const auto shown = request.parts.engine.look(reader, [&](const Snapshot& snapshot) {
    StreamWaits waits(*recent, snapshot);
    RequestList list(
        *query,
        [&](const RecentRequest& kept) {
          return findings_of(kept, snapshot, request.parts.live->now(), &waits);
        },
        [&](const RecentRequest& kept, const Findings& findings, std::int64_t count) {
          json.begin_object();
          write_summary(json, kept, findings);
          if (count > 1) json.member("count", count);
          json.end_object();
        });
    cursor = recent->look([&](const RecentRequest& kept) {
      return list.add(kept) && !request.stop_condition.should_stop();
    });
    list.finish();
    return Result<void>();
  });
  if (!shown) return admin_error(500, shown.error().message());
  json.end_array();
  put_cursor(json, cursor);
  json.end_object();
  return answer;
}

AdminResponse show_request(AdminRequest& request) {
  const RecentRequests* const recent = request.parts.recent;
  if (recent == nullptr || !recent->is_on()) return admin_error(404, kNoneKept);
  const auto kept = recent->find(request.name);
  if (kept == nullptr)
    return admin_error(404, "the server does not remember a request of this id, or not any more");
  Findings findings;
  Engine::Reader reader(request.parts.engine);
  const auto shown = request.parts.engine.look(reader, [&](const Snapshot& snapshot) {
    StreamWaits waits(*recent, snapshot);
    findings = findings_of(*kept, snapshot, request.parts.live->now(), &waits);
    return Result<void>();
  });
  if (!shown) return admin_error(500, shown.error().message());
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  write_summary(json, *kept, findings);
  write_bodies(json, *kept);
  json.end_object();
  return answer;
}

}  // namespace stator

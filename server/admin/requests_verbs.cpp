// /_stator/requests: the last requests, for whoever asks why one failed.
#include "engine/engine.h"
#include "server/admin/verbs.h"
#include "server/explain/explanation.h"
#include "server/explain/hints.h"
#include "server/explain/recent_requests.h"

namespace stator {

namespace {

constexpr std::string_view kNoneKept = "no requests are kept here: --explain 0";

}  // namespace

AdminAnswer show_requests(AdminRequest& request) {
  const RecentRequests* const recent = request.parts.recent;
  if (recent == nullptr) return admin_error(404, kNoneKept);
  AdminAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("requests");
  json.begin_array();
  Engine::Reader reader(request.parts.engine);
  const auto shown = request.parts.engine.look(reader, [&](const Snapshot& snapshot) {
    recent->look([&](const RecentRequest& kept) {
      json.begin_object();
      write_summary(json, kept, findings_of(kept, snapshot, request.parts.settings));
      json.end_object();
      return request.audience.is_waiting();
    });
    return Result<void>();
  });
  if (!shown) return admin_error(500, shown.error().message());
  json.end_array();
  json.end_object();
  return answer;
}

AdminAnswer show_request(AdminRequest& request) {
  const RecentRequests* const recent = request.parts.recent;
  if (recent == nullptr) return admin_error(404, kNoneKept);
  const auto kept = recent->find(request.name);
  if (kept == nullptr) return admin_error(404, "no request of this id is kept any more");
  Findings findings;
  Engine::Reader reader(request.parts.engine);
  const auto shown = request.parts.engine.look(reader, [&](const Snapshot& snapshot) {
    findings = findings_of(*kept, snapshot, request.parts.settings);
    return Result<void>();
  });
  if (!shown) return admin_error(500, shown.error().message());
  AdminAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  write_summary(json, *kept, findings);
  write_bodies(json, *kept);
  json.end_object();
  return answer;
}

}  // namespace stator

// /_stator/ttl/sweep: deletes all expired items at once.
#include "engine/api/control.h"
#include "server/admin/verbs.h"

namespace stator {

AdminResponse sweep_expired_items(AdminRequest& request) {
  if (request.body != nullptr && !request.body->members().empty())
    return admin_error(400, "the body is to be empty");
  const ExpiredItems items = delete_expired_items(request.parts.engine, request.stop_condition);
  const auto add_deleted = [&](JsonWriter& json) {
    json.member("deleted", static_cast<std::int64_t>(items.deleted));
  };
  switch (items.end) {
    case ExpiredItems::End::AllDeleted:
      break;
    case ExpiredItems::End::Cancelled:
      return admin_error(503, "not all was deleted while this request could wait: ask again",
                         add_deleted);
    case ExpiredItems::End::WriteFailed:
      return admin_error(500, "not all could be deleted, see the log", add_deleted);
  }
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  add_deleted(json);
  json.end_object();
  return answer;
}

}  // namespace stator

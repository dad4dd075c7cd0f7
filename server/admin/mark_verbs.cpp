// /_stator/marks: named states of the data, to which the user can roll back.
#include <string>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/seams/iso_time.h"
#include "server/admin/verbs.h"
#include "server/threads/maintainer.h"

namespace stator {

namespace {

AdminResponse unknown_mark(const AdminRequest& request) {
  std::string text = "there is no mark '" + std::string(request.name) + "'";
  const auto marks = request.parts.engine.marks();
  if (!marks || marks->empty()) return admin_error(404, text + ", and no other");
  for (std::size_t i = 0; i < marks->size(); ++i)
    text += (i == 0 ? "; there are " : ", ") + (*marks)[i].name;
  return admin_error(404, text);
}

AdminResponse refusal(MarkOutcome end, const AdminRequest& request) {
  switch (end) {
    case MarkOutcome::Unknown:
      return unknown_mark(request);
    case MarkOutcome::TooMany:
      return admin_error(409, "there are " + std::to_string(kMarksMax) +
                                  " marks already: forget one, or use its name again");
    case MarkOutcome::NoRoom:
      return admin_error(507,
                         "there is no room for a mark: delete something, or start with more "
                         "--max-bytes");
    case MarkOutcome::Done:
    case MarkOutcome::WriteFailed:
      break;
  }
  return admin_error(500, "the write failed, see the log");
}

// Makes the change and responds with {"name": ..., "time": the engine's}.
template <class Change>
AdminResponse change_mark(AdminRequest& request, const Change& change) {
  if (!is_mark_name(request.name)) {
    return admin_error(400, "a mark's name has 1 to " + std::to_string(kMarkNameBytesMax) +
                                " of A-Z, a-z, 0-9, hyphen, underscore and dot");
  }
  if (request.body != nullptr && !request.body->members().empty())
    return admin_error(400, "the body is to have no members");
  const MarkOutcome end = change(request.parts.engine, std::string(request.name));
  if (end != MarkOutcome::Done) return refusal(end, request);
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("name", request.name);
  json.member("time", iso_extended(request.parts.engine.clock().now()));
  json.end_object();
  return answer;
}

}  // namespace

AdminResponse show_marks(AdminRequest& request) {
  const auto marks = request.parts.engine.marks();
  if (!marks) return admin_error(500, "the marks cannot be read: " + marks.error().message());
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("marks");
  json.begin_array();
  for (const NamedMark& mark : *marks) {
    json.begin_object();
    json.member("name", mark.name);
    json.member("time", iso_extended(mark.made));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return answer;
}

AdminResponse set_mark(AdminRequest& request) {
  return change_mark(request,
                     [](Engine& engine, const std::string& name) { return engine.set_mark(name); });
}

AdminResponse go_back_to_mark(AdminRequest& request) {
  const Maintainer::Pause pause(request.parts.maintainer);
  return change_mark(
      request, [](Engine& engine, const std::string& name) { return engine.roll_back(name); });
}

AdminResponse forget_mark(AdminRequest& request) {
  return change_mark(
      request, [](Engine& engine, const std::string& name) { return engine.forget_mark(name); });
}

}  // namespace stator

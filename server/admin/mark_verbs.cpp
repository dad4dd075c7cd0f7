// /_stator/marks: states of the data that can be gone back to.
#include <string>

#include "engine/engine.h"
#include "server/admin/verbs.h"
#include "server/iso_time.h"
#include "server/maintainer.h"

namespace stator {

namespace {

AdminAnswer refusal(MarkEnd end, const AdminRequest& request) {
  if (end == MarkEnd::TooMany) {
    return admin_error(409, "there are " + std::to_string(kMarksMax) +
                                " marks already: forget one, or use its name again");
  }
  if (end != MarkEnd::Unknown) return admin_error(500, "it could not be stored, see the log");
  std::string text = "there is no mark '" + std::string(request.name) + "'";
  const auto marks = request.parts.engine.marks();
  if (!marks || marks->empty()) return admin_error(404, text + ", and no other");
  for (std::size_t i = 0; i < marks->size(); ++i)
    text += (i == 0 ? "; there are " : ", ") + (*marks)[i].name;
  return admin_error(404, text);
}

// {"name": ..., "time": the engine's}
template <class Change>
AdminAnswer change_mark(AdminRequest& request, const Change& change) {
  if (!is_mark_name(request.name)) {
    return admin_error(400, "a mark's name has 1 to " + std::to_string(kMarkNameBytesMax) +
                                " of A-Z, a-z, 0-9, hyphen, underscore and dot");
  }
  if (request.body != nullptr && !request.body->members().empty())
    return admin_error(400, "the body is to have no members");
  const MarkEnd end = change(request.parts.engine, std::string(request.name));
  if (end != MarkEnd::Done) return refusal(end, request);
  AdminAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("name", request.name);
  json.member("time", iso_extended(request.parts.engine.clock().now()));
  json.end_object();
  return answer;
}

}  // namespace

AdminAnswer show_marks(AdminRequest& request) {
  const auto marks = request.parts.engine.marks();
  if (!marks) return admin_error(500, "the marks cannot be read: " + marks.error().message());
  AdminAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("marks");
  json.begin_array();
  for (const ToldMark& mark : *marks) {
    json.begin_object();
    json.member("name", mark.name);
    json.member("time", iso_extended(mark.made));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return answer;
}

AdminAnswer set_mark(AdminRequest& request) {
  return change_mark(request,
                     [](Engine& engine, const std::string& name) { return engine.set_mark(name); });
}

AdminAnswer go_back_to_mark(AdminRequest& request) {
  const Maintainer::Pause pause(request.parts.maintainer);
  return change_mark(request,
                     [](Engine& engine, const std::string& name) { return engine.go_back(name); });
}

AdminAnswer forget_mark(AdminRequest& request) {
  return change_mark(
      request, [](Engine& engine, const std::string& name) { return engine.forget_mark(name); });
}

}  // namespace stator

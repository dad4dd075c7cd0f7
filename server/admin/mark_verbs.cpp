// /_stator/marks: named states of the data, to which the user can roll back.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/reports/views/mark_changes.h"
#include "engine/seams/iso_time.h"
#include "protocol/text/hex.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/http/query_text.h"
#include "server/threads/maintainer.h"
#include "server/threads/use_sampler.h"

namespace stator {

namespace {

AdminResponse unknown_mark(const AdminRequest& request) {
  for (const LostMark& lost : request.parts.engine.lost_marks()) {
    if (lost.mark.name == request.name)
      return admin_error(404,
                         "the server dropped the mark '" + lost.mark.name + "': " + lost.reason);
  }
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

// Parameters of the list of changes.
struct ChangesQuery {
  TableChoice choice;
  std::optional<std::string> table;
  std::string after;
  std::size_t limit = kListLimitMax;
};

// Returns what is invalid; empty if nothing is.
std::string read_changes_query(std::string_view text, ChangesQuery& query) {
  std::string why;
  for_each_parameter(text, [&](std::string_view name, std::string_view value) {
    query.choice.read(name, value);
    if (name == "table") query.table = percent_decoded(value);
    if (name == "after") {
      query.after = bytes_of_hex(value).value_or("");
      const bool is_place = !query.after.empty() && query.after.size() <= kMarkPlaceBytesMax;
      if (!is_place) why = "after is to be the member next of an earlier response";
    }
    if (name == "limit" && !read_list_limit(value, query.limit)) why = kListLimitText;
    return why.empty();
  });
  return why;
}

void write_table_changes(JsonWriter& json, const MarkChanges& changes) {
  constexpr std::string_view kKinds[] = {"created", "removed", "changed"};
  json.key("tables");
  json.begin_array();
  for (const MarkChanges::TableChange& change : changes.tables) {
    json.begin_object();
    write_label(json, change.label);
    json.member("change", kKinds[static_cast<std::size_t>(change.kind)]);
    json.end_object();
  }
  json.end_array();
}

void write_item_changes(JsonWriter& json, const MarkChanges& changes) {
  const auto raw = [&](std::string_view name, const std::string& text) {
    json.key(name);
    json.raw(text);
  };
  json.key("changes");
  json.begin_array();
  for (const MarkChanges::ItemChange& change : changes.items) {
    json.begin_object();
    write_label(json, change.label);
    raw("key", change.key_json);
    if (change.was_json) raw("was", *change.was_json);
    if (change.is_json) raw("is", *change.is_json);
    json.end_object();
  }
  json.end_array();
}

// `lost_reason` is empty for a mark that exists.
void write_mark_figures(JsonWriter& json, const MarkFigures& mark,
                        std::string_view lost_reason = {}) {
  json.begin_object();
  json.member("name", mark.name);
  json.member("time", iso_extended(mark.made));
  json.member("records", static_cast<std::int64_t>(mark.records));
  json.member("bytes", static_cast<std::int64_t>(mark.bytes));
  json.key("tables");
  json.begin_array();
  for (const MarkFigures::TableItems& table : mark.tables) {
    json.begin_object();
    write_label(json, table.label);
    json.member("put", static_cast<std::int64_t>(table.put));
    json.member("deleted", static_cast<std::int64_t>(table.deleted));
    json.end_object();
  }
  json.end_array();
  json.member("more", mark.has_more);
  if (!lost_reason.empty()) json.member("lost", lost_reason);
  json.end_object();
}

// Of a lost mark the store remembers nothing.
void write_lost_mark(JsonWriter& json, const LostMark& lost) {
  MarkFigures figures;
  figures.name = lost.mark.name;
  figures.made = lost.mark.made;
  write_mark_figures(json, figures, lost.reason);
}

}  // namespace

AdminResponse show_mark_changes(AdminRequest& request) {
  ChangesQuery query;
  if (const std::string why = read_changes_query(request.query, query); !why.empty())
    return admin_error(400, why);
  const Isolation isolation = request.parts.settings.isolation;
  const auto is_meant = [&](const TableLabel& label) {
    return (!query.table || *query.table == label.table) && query.choice.means(label, isolation);
  };
  std::optional<MarkChanges> changes;
  Engine::Reader reader(request.parts.engine);
  const auto shown =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        STATOR_TRY(
            changes,
            mark_changes(snapshot, {isolation, request.name, is_meant, query.after, query.limit},
                         request.stop_condition));
        return {};
      });
  if (!shown) return admin_error(500, shown.error().message());
  if (!changes) return unknown_mark(request);
  if (changes->is_stopped)
    return admin_error(503, "not all was read while this request could wait: ask again");
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("name", request.name);
  json.member("time", iso_extended(changes->made));
  if (query.after.empty()) write_table_changes(json, *changes);
  write_item_changes(json, *changes);
  if (!changes->next.empty()) json.member("next", hex_of(changes->next));
  json.end_object();
  return answer;
}

AdminResponse show_marks(AdminRequest& request) {
  std::vector<MarkFigures> marks;
  Engine::Reader reader(request.parts.engine);
  const auto shown =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        STATOR_TRY(marks, mark_figures(snapshot, request.parts.settings.isolation,
                                       request.stop_condition));
        return {};
      });
  if (!shown) return admin_error(500, "the marks cannot be read: " + shown.error().message());
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("marks");
  json.begin_array();
  for (const MarkFigures& mark : marks) write_mark_figures(json, mark);
  for (const LostMark& lost : request.parts.engine.lost_marks()) write_lost_mark(json, lost);
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
  AdminResponse answer = change_mark(
      request, [](Engine& engine, const std::string& name) { return engine.roll_back(name); });
  if (request.parts.sampler != nullptr) request.parts.sampler->sample_now();
  return answer;
}

AdminResponse forget_mark(AdminRequest& request) {
  return change_mark(
      request, [](Engine& engine, const std::string& name) { return engine.forget_mark(name); });
}

}  // namespace stator

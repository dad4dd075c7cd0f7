// /_stator/history: the changes of one item.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "engine/api/engine.h"
#include "engine/api/table_view.h"
#include "engine/reports/views/item_history.h"
#include "engine/seams/iso_time.h"
#include "protocol/json/json_reader.h"
#include "protocol/shapes/attribute_value.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

struct HistoryQuery {
  TableChoice choice;
  std::string table;
  std::string key;  // JSON
  std::uint64_t from_number = 0;
  std::size_t limit = kListLimitMax;
};

// Returns what is invalid; empty if nothing is.
std::string read_history_query(std::string_view text, HistoryQuery& query) {
  std::string why;
  for_each_parameter(text, [&](std::string_view name, std::string_view value) {
    query.choice.read(name, value);
    if (name == "table") query.table = percent_decoded(value);
    if (name == "key") query.key = percent_decoded(value);
    if (name == "after") {
      const auto read =
          std::from_chars(value.data(), value.data() + value.size(), query.from_number);
      if (read.ec != std::errc() || read.ptr != value.data() + value.size())
        why = "after is to be the member next of an earlier response";
    }
    if (name == "limit" && !read_list_limit(value, query.limit)) why = kListLimitText;
    return why.empty();
  });
  if (why.empty() && query.table.empty()) why = "the parameter table is missing";
  if (why.empty() && query.key.empty()) why = "the parameter key is missing";
  return why;
}

// The attributes of a key in JSON; empty if the text has none.
std::optional<Item> read_key(std::string& text, Arena& arena) {
  const auto node = read_json(text, arena);
  if (!node || node->kind() != JsonNode::Kind::Object) return std::nullopt;
  for (const JsonMember& member : node->members())
    if (!check_value_types(member.value, ValuePlace::Element)) return std::nullopt;
  const auto item = decode_item(*node, Wording(), arena);
  if (!item) return std::nullopt;
  return *item;
}

void write_change(JsonWriter& json, const ItemHistory::Entry& entry) {
  json.begin_object();
  json.member("number", static_cast<std::int64_t>(entry.number));
  json.member("time", iso_extended(entry.time));
  json.member("event", !entry.old_json ? "INSERT" : entry.new_json ? "MODIFY" : "REMOVE");
  json.member("by", entry.by);
  if (entry.old_json) {
    json.key("old");
    json.raw(*entry.old_json);
  }
  if (entry.new_json) {
    json.key("new");
    json.raw(*entry.new_json);
  }
  json.end_object();
}

void write_history(JsonWriter& json, const TableLabel& label, const ItemHistory& history) {
  json.begin_object();
  write_label(json, label);
  json.key("entries");
  json.begin_array();
  for (const ItemHistory::Entry& entry : history.entries) write_change(json, entry);
  json.end_array();
  if (history.from) json.member("from", iso_extended(*history.from));
  json.key("kept_by");
  json.begin_array();
  for (const std::string_view kind : history.kept_by) json.string(kind);
  json.end_array();
  if (history.next) json.member("next", std::to_string(*history.next));
  json.end_object();
}

AdminResponse answer_with(const TableLabel& label, const Result<ItemHistory>& history) {
  if (!history) {
    const bool is_of_server = history.error().code() == ErrorCode::InternalServerError;
    return admin_error(is_of_server ? 500 : 400, history.error().message());
  }
  if (history->is_stopped)
    return admin_error(503, "not all was read while this request could wait: ask again");
  if (history->kept_by.empty()) {
    return admin_error(404,
                       "the changes of this table are not kept: enable a stream or point-in-time "
                       "recovery");
  }
  AdminResponse answer;
  JsonWriter json(answer.body);
  write_history(json, label, *history);
  return answer;
}

}  // namespace

AdminResponse show_history(AdminRequest& request) {
  HistoryQuery query;
  if (const std::string why = read_history_query(request.query, query); !why.empty())
    return admin_error(400, why);
  Arena arena;
  const auto key = read_key(query.key, arena);
  if (!key) return admin_error(400, R"(key is to be a key such as {"pk":{"S":"a"}})");
  AdminResponse answer;
  Engine::Reader reader(request.parts.engine);
  const auto shown =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        NamedTable found = find_named_table(TableView(snapshot), query.table, query.choice,
                                            request.parts.settings.isolation);
        answer = found.table == nullptr
                     ? std::move(found.refusal)
                     : answer_with(found.label,
                                   item_history(snapshot, *found.table, *key, query.from_number,
                                                query.limit, request.stop_condition));
        return {};
      });
  if (!shown) return admin_error(500, shown.error().message());
  return answer;
}

}  // namespace stator

// /_stator/history: the changes of one item, and whether a table keeps them.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/table_view.h"
#include "engine/history/kept_changes.h"
#include "engine/reports/views/item_history.h"
#include "engine/seams/iso_time.h"
#include "protocol/json/json_reader.h"
#include "protocol/shapes/attribute_value.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/explain/item_writes.h"
#include "server/explain/requests/touched_items.h"
#include "server/http/query_text.h"
#include "server/options/duration.h"

namespace stator {

namespace {

constexpr std::string_view kByTransaction = "transaction";
constexpr std::string_view kByClient = "client";

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

// `write` is the request that made the change; nullptr if it is not known.
void write_change(JsonWriter& json, const ItemHistory::Entry& entry, const ItemWrite* write) {
  json.begin_object();
  json.member("number", static_cast<std::int64_t>(entry.number));
  json.member("time", iso_extended(entry.time));
  json.member("event", !entry.old_json ? "INSERT" : entry.new_json ? "MODIFY" : "REMOVE");
  json.member("by", write != nullptr && write->is_transaction ? kByTransaction : entry.by);
  if (write != nullptr) json.member("request_id", write->request_id);
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

// The recorded requests that made the entries; nullptr for those that are not known.
std::vector<const ItemWrite*> causes_of(const ItemHistory& history,
                                        const std::vector<ItemWrite>& writes) {
  std::vector<Timestamp> times;
  for (const ItemHistory::Entry& entry : history.entries) {
    if (entry.by == kByClient) times.push_back(entry.time);
  }
  const auto of_clients = writes_of_changes(writes, times);
  std::vector<const ItemWrite*> causes;
  auto next = of_clients.begin();
  for (const ItemHistory::Entry& entry : history.entries)
    causes.push_back(entry.by == kByClient ? *next++ : nullptr);
  return causes;
}

void write_history(JsonWriter& json, const TableLabel& label, const ItemHistory& history,
                   const std::vector<ItemWrite>& writes) {
  const std::vector<const ItemWrite*> causes = causes_of(history, writes);
  json.begin_object();
  write_label(json, label);
  json.key("entries");
  json.begin_array();
  for (std::size_t i = 0; i < history.entries.size(); ++i)
    write_change(json, history.entries[i], causes[i]);
  json.end_array();
  if (history.from) json.member("from", iso_extended(*history.from));
  json.key("kept_by");
  json.begin_array();
  for (const std::string_view kind : history.kept_by) json.string(kind);
  json.end_array();
  if (history.next) json.member("next", std::to_string(*history.next));
  json.end_object();
}

AdminResponse answer_with(const TableLabel& label, const Result<ItemHistory>& history,
                          const std::vector<ItemWrite>& writes) {
  if (!history) {
    const bool is_of_server = history.error().code() == ErrorCode::InternalServerError;
    return admin_error(is_of_server ? 500 : 400, history.error().message());
  }
  if (history->is_stopped)
    return admin_error(503, "not all was read while this request could wait: ask again");
  if (history->kept_by.empty()) {
    return admin_error(404,
                       "the changes of this table are not kept: enable a stream or point-in-time "
                       "recovery, or send POST with {\"table\": NAME, \"keep\": \"1h\"}");
  }
  AdminResponse answer;
  JsonWriter json(answer.body);
  write_history(json, label, *history, writes);
  return answer;
}

// The recorded writes of the item.
std::vector<ItemWrite> writes_of(const AdminRequest& request, const TableView& tables,
                                 const Table& table, Item key) {
  if (request.parts.recent == nullptr) return {};
  const Isolation isolation = request.parts.settings.isolation;
  const auto find = [&](const RecentRequest& recent, std::string_view name) {
    using Part = RecentRequest::Part;
    const TableChoice choice{std::string(recent.text(Part::Region)),
                             std::string(recent.text(Part::AccessKey))};
    return find_named_table(tables, name, choice, isolation).table;
  };
  return item_writes(*request.parts.recent, table, touched_key_json(table, key), find);
}

// Parameters of a request that a table keeps its changes.
struct KeepRequest {
  TableChoice choice;
  std::string table;
  std::chrono::microseconds period{0};
};

// Returns what is invalid; empty if nothing is.
std::string read_keep_request(const JsonNode* body, KeepRequest& keep) {
  static const std::string kText =
      R"(the body is to be as {"table":"Orders","keep":"1h"}, with region and access_key if needed)";
  if (body == nullptr) return kText;
  std::string period;
  for (const JsonMember& member : body->members()) {
    if (member.value.kind() != JsonNode::Kind::String) return kText;
    const std::string text(member.value.text());
    if (member.name == "table") {
      keep.table = text;
    } else if (member.name == "keep") {
      period = text;
    } else if (member.name == "region") {
      keep.choice.region = text;
    } else if (member.name == "access_key") {
      keep.choice.access_key = text;
    } else {
      return kText;
    }
  }
  if (keep.table.empty() || period.empty()) return kText;
  const auto parsed = parse_duration(period);
  if (!parsed) return "keep: " + parsed.error();
  keep.period = *parsed;
  const bool is_whole = keep.period % std::chrono::seconds(1) == std::chrono::microseconds(0);
  if (!is_whole || keep.period > kKeptPeriodMax)
    return "keep is to be whole seconds, at most 24h; 0s ends it";
  return {};
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
        if (found.table == nullptr) {
          answer = std::move(found.refusal);
          return {};
        }
        const auto history = item_history(snapshot, *found.table, *key, query.from_number,
                                          query.limit, request.stop_condition);
        answer = answer_with(found.label, history,
                             writes_of(request, TableView(snapshot), *found.table, *key));
        return {};
      });
  if (!shown) return admin_error(500, shown.error().message());
  return answer;
}

AdminResponse keep_history(AdminRequest& request) {
  KeepRequest keep;
  if (const std::string why = read_keep_request(request.body, keep); !why.empty())
    return admin_error(400, why);
  NamedTable found;
  storage::SpaceId space{};
  Engine::Reader reader(request.parts.engine);
  const auto looked =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        found = find_named_table(TableView(snapshot), keep.table, keep.choice,
                                 request.parts.settings.isolation);
        if (found.table != nullptr) space = found.table->space;
        return {};
      });
  if (!looked) return admin_error(500, looked.error().message());
  if (found.table == nullptr) return std::move(found.refusal);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(keep.period);
  switch (keep_changes(request.parts.engine, space, seconds)) {
    case KeptOutcome::TableGone:
      return admin_error(404, kNoSuchTableText);
    case KeptOutcome::NotStored:
      return admin_error(500, "the write failed, see the log");
    case KeptOutcome::Done:
      break;
  }
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  write_label(json, found.label);
  json.member("keep_seconds", static_cast<std::int64_t>(seconds.count()));
  json.end_object();
  return answer;
}

}  // namespace stator

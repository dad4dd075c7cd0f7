// /_stator/tables: all tables of all Regions and access keys in one answer.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/api/engine.h"
#include "engine/api/table_view.h"
#include "engine/reports/figures.h"
#include "engine/reports/throughput_figures.h"
#include "engine/reports/views/waiting_changes.h"
#include "engine/seams/iso_time.h"
#include "engine/tables/time_to_live.h"
#include "protocol/service/arn.h"
#include "server/admin/verbs.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

struct Query {
  std::optional<std::string> region;
  std::optional<std::string> access_key;
  std::string after;  // a `next` of an earlier answer
  std::size_t limit = kListLimitMax;
};

// Which table comes next: its scope, a slash and its name, which has none.
std::string position_of(const Table& table) { return table.scope + "/" + table.name; }

std::string_view scope_in(std::string_view position) {
  return position.substr(0, std::min(position.rfind('/'), position.size()));
}

std::string_view name_in(std::string_view position) {
  return position.substr(position.rfind('/') + 1);
}

void write_key_part(JsonWriter& json, const KeyAttribute& attribute) {
  json.begin_array();
  json.string(attribute.name);
  json.string(type_name(attribute.type));
  json.end_array();
}

void write_key(JsonWriter& json, std::span<const KeyAttribute> partition_keys,
               std::span<const KeyAttribute> sort_keys) {
  json.key("key");
  json.begin_array();
  for (const KeyAttribute& attribute : partition_keys) write_key_part(json, attribute);
  for (const KeyAttribute& attribute : sort_keys) write_key_part(json, attribute);
  json.end_array();
}

Result<SpaceStats> write_stats(JsonWriter& json, const TableView& tables, storage::SpaceId space) {
  STATOR_TRY(const SpaceStats stats, tables.stats(space));
  json.member("items", stats.item_count);
  json.member("bytes", stats.size_bytes);
  return stats;
}

void write_projection(JsonWriter& json, const Projection& projection) {
  json.member("projection", to_text(projection.type));
  if (projection.non_key_attributes.empty()) return;
  json.key("attributes");
  json.begin_array();
  for (const std::string& name : projection.non_key_attributes) json.string(name);
  json.end_array();
}

Result<void> write_local_index(JsonWriter& json, const TableView& tables, const LocalIndex& index) {
  json.begin_object();
  json.member("index", index.name);
  json.member("kind", "local");
  write_key(json, index.partition_keys, index.sort_keys);
  write_projection(json, index.projection);
  json.member("status", to_text(TableStatus::Active));
  STATOR_CHECK(write_stats(json, tables, index.space));
  json.end_object();
  return {};
}

void write_waiting(JsonWriter& json, const LateChanges& waiting) {
  json.key("waiting");
  json.begin_object();
  json.member("changes", static_cast<std::int64_t>(waiting.changes));
  json.member("oldest", iso_extended(waiting.oldest));
  json.member("more", waiting.has_more);
  json.end_object();
}

Result<void> write_global_index(JsonWriter& json, const TableView& tables, const LateIndexes& late,
                                const Table& table, const GlobalIndex& index) {
  json.begin_object();
  json.member("index", index.name);
  json.member("kind", "global");
  write_key(json, index.partition_keys, index.sort_keys);
  write_projection(json, index.projection);
  json.member("status", to_text(index.status(tables.now())));
  STATOR_TRY(const SpaceStats stats, write_stats(json, tables, index.space));
  if (index.is_backfilling(tables.now())) {
    STATOR_TRY(const SpaceStats of_table, tables.stats(table.space));
    json.key("backfill");
    json.begin_object();
    json.member("done", stats.item_count);
    json.member("total", of_table.item_count);
    json.member("started", iso_extended(index.build->allocating_until));
    json.end_object();
  }
  if (const auto waiting = late.find(index.space); waiting != late.end())
    write_waiting(json, waiting->second);
  json.end_object();
  return {};
}

Result<void> write_indexes(JsonWriter& json, const TableView& tables, const LateIndexes& late,
                           const Table& table) {
  json.key("indexes");
  json.begin_array();
  for (const LocalIndex& index : table.local_indexes)
    STATOR_CHECK(write_local_index(json, tables, index));
  for (const GlobalIndex& index : table.global_indexes) {
    if (index.status(tables.now()) == TableStatus::Gone) continue;
    STATOR_CHECK(write_global_index(json, tables, late, table, index));
  }
  json.end_array();
  return {};
}

void write_settings(JsonWriter& json, const Table& table, Timestamp now) {
  if (table.has_enabled_stream()) {
    json.key("stream");
    json.begin_object();
    json.member("arn", stream_arn(table.arn(), table.stream->label));
    json.member("view", to_text(table.stream->view_type));
    json.end_object();
  }
  const ShownTimeToLive ttl = shown_time_to_live(table, now);
  if (!ttl.attribute_name.empty()) {
    json.key("ttl");
    json.begin_object();
    json.member("attribute", ttl.attribute_name);
    json.member("status", ttl.status);
    json.end_object();
  }
  json.member("deletion_protection", table.deletion_protection);
  json.member("created", iso_extended(table.created));
}

Result<void> write_table(JsonWriter& json, const TableView& tables, const LateIndexes& late,
                         const Table& table, const TableLabel& label) {
  json.begin_object();
  json.member("region", label.region);
  if (!label.access_key.empty()) json.member("access_key", label.access_key);
  json.member("table", label.table);
  json.member("status", to_text(table.status(tables.now())));
  json.member("billing_mode", to_text(table.shown_settings(tables.now()).billing_mode));
  const std::span<const KeyAttribute> sort_keys(table.sort_key ? &*table.sort_key : nullptr,
                                                table.sort_key ? 1 : 0);
  write_key(json, {&table.partition_key, 1}, sort_keys);
  STATOR_CHECK(write_stats(json, tables, table.space));
  if (const std::uint64_t throttled = throttled_requests(table); throttled > 0)
    json.member("throttled", static_cast<std::int64_t>(throttled));
  write_settings(json, table, tables.now());
  STATOR_CHECK(write_indexes(json, tables, late, table));
  json.end_object();
  return {};
}

// Writes tables until the list is full. `next` is then the position of the last one.
class TableList {
 public:
  TableList(JsonWriter& json, const TableView& tables, const LateIndexes& late, const Query& query,
            Isolation isolation)
      : json_(json), tables_(tables), late_(late), query_(query), isolation_(isolation) {}

  Result<void> write() {
    const std::string_view from = scope_in(query_.after);
    tables_.visit_scopes([&](std::string_view scope) {
      if (!query_.after.empty() && scope < from) return true;
      const bool is_first = !query_.after.empty() && scope == from;
      tables_.visit_tables_after(scope, is_first ? name_in(query_.after) : std::string_view(),
                                 [&](const Table& table) { return add(table); });
      return outcome_.has_value() && next_.empty();
    });
    return std::move(outcome_);
  }
  const std::string& next() const { return next_; }

 private:
  bool add(const Table& table) {
    const auto label = label_of(table.scope, table.region, table.name, isolation_);
    if (!label || (query_.region && *query_.region != label->region) ||
        (query_.access_key && *query_.access_key != label->access_key))
      return true;
    if (count_ == query_.limit) {
      next_ = last_;
      return false;
    }
    outcome_ = write_table(json_, tables_, late_, table, *label);
    last_ = position_of(table);
    ++count_;
    return outcome_.has_value();
  }

  JsonWriter& json_;
  const TableView& tables_;
  const LateIndexes& late_;
  const Query& query_;
  const Isolation isolation_;
  Result<void> outcome_;
  std::size_t count_ = 0;
  std::string last_;
  std::string next_;
};

// Returns what is invalid; empty if nothing is.
std::string read_query(std::string_view text, Query& query) {
  std::string why;
  for_each_parameter(text, [&](std::string_view name, std::string_view value) {
    if (name == "region") query.region = percent_decoded(value);
    if (name == "access_key") query.access_key = percent_decoded(value);
    if (name == "after") query.after = percent_decoded(value);
    if (name == "limit" && !read_list_limit(value, query.limit)) why = kListLimitText;
    return why.empty();
  });
  return why;
}

}  // namespace

AdminResponse show_tables(AdminRequest& request) {
  Query query;
  const std::string why = read_query(request.query, query);
  if (!why.empty()) return admin_error(400, why);
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("tables");
  json.begin_array();
  std::string next;
  Engine::Reader reader(request.parts.engine);
  const auto shown =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        const TableView tables(snapshot);
        STATOR_TRY(const LateIndexes late, late_indexes(snapshot));
        TableList list(json, tables, late, query, request.parts.settings.isolation);
        STATOR_CHECK(list.write());
        next = list.next();
        return {};
      });
  if (!shown) return admin_error(500, shown.error().message());
  json.end_array();
  if (!next.empty()) json.member("next", next);
  json.end_object();
  return answer;
}

}  // namespace stator

// /_stator/ttl/NAME: the items of a table in the order in which they expire. /_stator/ttl/sweep:
// deletes all expired items at once.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/api/table_view.h"
#include "engine/reports/views/expiry_queue.h"
#include "engine/seams/iso_time.h"
#include "engine/tables/time_to_live.h"
#include "protocol/text/hex.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/dispatch/live_settings.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

constexpr std::string_view kNoPlaceText = "after is to be the member next of an earlier response";

// The place as text: seconds, and the key's two parts in hexadecimal digits.
std::string place_text_of(const ExpiryPlace& place) {
  return std::to_string(place.due_s) + "." + hex_of(place.partition) + "." + hex_of(place.sort);
}

std::optional<ExpiryPlace> parse_expiry_place(std::string_view text) {
  ExpiryPlace place;
  const std::string_view seconds = text.substr(0, text.find('.'));
  const auto read = std::from_chars(seconds.data(), seconds.data() + seconds.size(), place.due_s);
  if (read.ec != std::errc() || read.ptr != seconds.data() + seconds.size()) return std::nullopt;
  text.remove_prefix(std::min(text.size(), seconds.size() + 1));
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  auto partition = bytes_of_hex(text.substr(0, point));
  auto sort = bytes_of_hex(text.substr(point + 1));
  if (!partition || !sort || partition->empty()) return std::nullopt;
  place.partition = *std::move(partition);
  place.sort = *std::move(sort);
  return place;
}

struct QueueQuery {
  TableChoice choice;
  std::optional<ExpiryPlace> after;
  std::size_t limit = kListLimitMax;
};

// Returns what is invalid; empty if nothing is.
std::string read_queue_query(std::string_view text, QueueQuery& query) {
  std::string why;
  for_each_parameter(text, [&](std::string_view name, std::string_view value) {
    query.choice.read(name, value);
    if (name == "after") {
      query.after = parse_expiry_place(value);
      if (!query.after) why = kNoPlaceText;
    }
    if (name == "limit" && !read_list_limit(value, query.limit)) why = kListLimitText;
    return why.empty();
  });
  return why;
}

void write_buckets(JsonWriter& json, const ExpiryQueue& queue) {
  json.key("buckets");
  json.begin_array();
  for (const ExpiryQueue::Bucket& bucket : queue.buckets) {
    json.begin_object();
    if (bucket.until) json.member("until", iso_extended(*bucket.until));
    json.member("items", static_cast<std::int64_t>(bucket.items));
    json.end_object();
  }
  json.end_array();
}

void write_next_items(JsonWriter& json, const ExpiryQueue& queue) {
  json.key("next_items");
  json.begin_array();
  for (const ExpiryQueue::Item& item : queue.items) {
    json.begin_object();
    json.key("key");
    json.raw(item.key_json);
    json.member("expires", iso_extended(item.expires));
    json.member("due", iso_extended(item.due));
    json.end_object();
  }
  json.end_array();
}

void write_queue(JsonWriter& json, const NamedTable& found, const ExpiryQueue& queue,
                 const Settings& settings, Timestamp now) {
  const ShownTimeToLive shown = shown_time_to_live(*found.table, now);
  const auto seconds = [&](std::string_view name, std::chrono::microseconds length) {
    json.key(name);
    json.decimal(std::chrono::duration<double>(length).count());
  };
  json.begin_object();
  write_label(json, found.label);
  json.member("status", shown.status);
  if (!shown.attribute_name.empty()) json.member("attribute", shown.attribute_name);
  seconds("lag_seconds", queue.lag);
  seconds("delay_seconds", settings.ttl_delay);
  seconds("sweep_seconds", settings.ttl_sweep_interval);
  json.member("deleted", static_cast<std::int64_t>(queue.deleted));
  write_buckets(json, queue);
  json.member("ignored_too_old", static_cast<std::int64_t>(queue.too_old));
  json.member("more", queue.has_more);
  write_next_items(json, queue);
  if (queue.next) json.member("next", place_text_of(*queue.next));
  json.end_object();
}

}  // namespace

AdminResponse show_expiry_queue(AdminRequest& request) {
  QueueQuery query;
  if (const std::string why = read_queue_query(request.query, query); !why.empty())
    return admin_error(400, why);
  const Settings& settings = request.parts.live->now();
  AdminResponse answer;
  Engine::Reader reader(request.parts.engine);
  const auto shown =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        const TableView tables(snapshot);
        NamedTable found = find_named_table(tables, percent_decoded(request.name), query.choice,
                                            settings.isolation);
        if (found.table == nullptr) {
          answer = std::move(found.refusal);
          return {};
        }
        STATOR_TRY(const ExpiryQueue queue,
                   expiry_queue(snapshot, settings, *found.table, query.after, query.limit));
        answer = {};
        JsonWriter json(answer.body);
        write_queue(json, found, queue, settings, tables.now());
        return {};
      });
  if (!shown) return admin_error(500, shown.error().message());
  return answer;
}

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

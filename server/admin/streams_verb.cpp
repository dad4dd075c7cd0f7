// /_stator/streams/NAME: the streams of a table, their shards, what these hold and who reads them.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/stream_reader.h"
#include "engine/api/table_view.h"
#include "engine/reports/views/stream_reports.h"
#include "engine/seams/iso_time.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/dispatch/stream_readers.h"
#include "server/http/query_text.h"
#include "streams/sequence_number.h"

namespace stator {

namespace {

void write_shard_report(JsonWriter& json, const ShardReport& report) {
  const Shard& shard = report.shard;
  json.begin_object();
  json.member("shard", shard.id);
  if (!shard.parent_id.empty()) json.member("parent", shard.parent_id);
  json.member("open", !shard.closed);
  json.member("first_number", sequence_number(shard.start));
  if (shard.end) json.member("last_number", sequence_number(*shard.end));
  json.member("first_hash", std::int64_t{shard.hash_begin});
  json.member("last_hash", std::int64_t{shard.hash_end} - 1);
  json.member("records", static_cast<std::int64_t>(report.records));
  json.member("opened", iso_extended(shard.opened));
  if (shard.closed) json.member("closed", iso_extended(*shard.closed));
  json.end_object();
}

// A reader of a stream, with what it has not read.
struct LaggingReader {
  ShardReader reader;
  std::uint64_t next_number = 0;
  UnreadRecords unread;
};

// What the verb shows of one stream.
struct ShownStream {
  StreamReport report;
  std::vector<LaggingReader> readers;
};

void write_reader(JsonWriter& json, const LaggingReader& one) {
  json.begin_object();
  json.member("agent", one.reader.agent);
  if (!one.reader.access_key.empty()) json.member("access_key", one.reader.access_key);
  json.member("shard", one.reader.shard_id);
  json.member("number", sequence_number(one.next_number));
  json.member("ended", one.reader.has_ended);
  json.member("behind_records", static_cast<std::int64_t>(one.unread.records));
  if (one.unread.oldest) json.member("behind_since", iso_extended(*one.unread.oldest));
  json.member("more", one.unread.has_more);
  json.member("last_seen", iso_extended(one.reader.last_seen));
  json.end_object();
}

void write_stream_report(JsonWriter& json, const ShownStream& shown, Timestamp now) {
  const StreamReport& report = shown.report;
  const Stream& stream = report.stream;
  json.begin_object();
  write_label(json, report.label);
  json.member("arn", stream.arn());
  json.member("label", stream.label);
  json.member("view", to_text(stream.view_type));
  json.member("status", to_text(stream.status(now)));
  json.member("records", static_cast<std::int64_t>(report.records));
  json.member("bytes", static_cast<std::int64_t>(report.bytes));
  if (report.oldest) json.member("oldest", iso_extended(*report.oldest));
  if (report.newest) json.member("newest", iso_extended(*report.newest));
  json.key("shards");
  json.begin_array();
  for (const ShardReport& shard : report.shards) write_shard_report(json, shard);
  json.end_array();
  json.key("readers");
  json.begin_array();
  for (const LaggingReader& reader : shown.readers) write_reader(json, reader);
  json.end_array();
  json.member("more", report.has_more);
  json.end_object();
}

// The readers of the stream's shards, those of removed shards left out.
Result<std::vector<LaggingReader>> readers_of(const Snapshot& snapshot, const Stream& stream,
                                              const std::vector<ShardReader>& all,
                                              std::size_t& records_left) {
  std::vector<LaggingReader> found;
  const StreamReader streams(snapshot);
  for (const ShardReader& reader : all) {
    if (reader.stream != stream.number) continue;
    STATOR_TRY(const auto shard, streams.find_shard(stream.number, reader.shard_id));
    if (!shard) continue;
    LaggingReader& one = found.emplace_back(LaggingReader{reader, reader.position, {}});
    if (reader.has_ended && shard->end) {
      one.next_number = *shard->end + 1;
    } else {
      STATOR_TRY(one.unread,
                 unread_records(snapshot, stream, *shard, reader.position, records_left));
    }
  }
  return found;
}

// Whether requests see a table of this name.
bool has_table_named(const TableView& tables, std::string_view name, Isolation isolation) {
  bool is_there = false;
  tables.visit_scopes([&](std::string_view scope) {
    const Table* const table = tables.find(scope, name);
    is_there = table != nullptr && label_of(scope, table->region, name, isolation);
    return !is_there;
  });
  return is_there;
}

}  // namespace

AdminResponse show_streams(AdminRequest& request) {
  TableChoice choice;
  std::size_t limit = kListLimitMax;
  bool is_valid = true;
  for_each_parameter(request.query, [&](std::string_view name, std::string_view value) {
    choice.read(name, value);
    is_valid = name != "limit" || read_list_limit(value, limit);
    return is_valid;
  });
  if (!is_valid) return admin_error(400, kListLimitText);
  const Isolation isolation = request.parts.settings.isolation;
  const std::string table_name = percent_decoded(request.name);
  const std::vector<ShardReader> readers =
      request.parts.readers != nullptr ? request.parts.readers->list() : std::vector<ShardReader>();
  std::vector<ShownStream> streams;
  bool has_table = false;
  Engine::Reader reader(request.parts.engine);
  const auto shown =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        STATOR_TRY(auto reports, stream_reports(snapshot, isolation, table_name, limit));
        std::size_t records_left = kStreamRecordsCountedMax;
        for (StreamReport& report : reports) {
          STATOR_TRY(auto own, readers_of(snapshot, report.stream, readers, records_left));
          streams.push_back({std::move(report), std::move(own)});
        }
        has_table = has_table_named(TableView(snapshot), table_name, isolation);
        return {};
      });
  if (!shown) return admin_error(500, shown.error().message());
  if (streams.empty() && !has_table) return admin_error(404, kNoSuchTableText);
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("streams");
  json.begin_array();
  for (const ShownStream& stream : streams) {
    if (choice.means(stream.report.label, isolation))
      write_stream_report(json, stream, request.parts.engine.clock().now());
  }
  json.end_array();
  json.end_object();
  return answer;
}

}  // namespace stator

#include "server/triggers/batches/event.h"

#include "engine/seams/iso_time.h"
#include "protocol/json/json_writer.h"

namespace stator::triggers {

namespace {

void append_records(JsonWriter& json, std::span<const TriggerRecord> records) {
  std::size_t bytes = kEventFrameBytes;
  for (const TriggerRecord& record : records) bytes += record.json.size() + 1;
  json.out().reserve(bytes);
  json.key("Records");
  json.begin_array();
  for (const TriggerRecord& record : records) json.raw(record.json);
  json.end_array();
}

}  // namespace

std::string event_of(std::span<const TriggerRecord> records) {
  std::string event;
  JsonWriter json(event);
  json.begin_object();
  append_records(json, records);
  json.end_object();
  return event;
}

std::string event_of(std::span<const TriggerRecord> records, const WindowCall& call) {
  std::string event;
  JsonWriter json(event);
  json.begin_object();
  append_records(json, records);
  json.key("window");
  json.begin_object();
  json.member("start", iso_seconds(call.window.start));
  json.member("end", iso_seconds(call.window.end));
  json.end_object();
  json.key("state");
  json.raw(call.window.state);
  json.member("shardId", call.shard_id);
  json.member("eventSourceARN", call.stream_arn);
  json.member("isFinalInvokeForWindow", call.is_final);
  json.member("isWindowTerminatedEarly", call.window.is_too_large);
  json.end_object();
  return event;
}

std::string iso_seconds(Timestamp time) {
  std::string text = iso_extended(time);
  text.replace(text.find('.'), std::string::npos, "Z");
  return text;
}

}  // namespace stator::triggers

#include "server/triggers/batches/failure_message.h"

#include <algorithm>

#include "engine/seams/iso_time.h"
#include "protocol/json/json_writer.h"
#include "server/triggers/batches/event.h"
#include "streams/sequence_number.h"

namespace stator::triggers {

namespace {

void append_response(JsonWriter& json, const CallResult& last) {
  json.key("responseContext");
  json.begin_object();
  json.member("statusCode", static_cast<std::int64_t>(last.status));
  json.member("executedVersion",
              last.executed_version.empty() ? std::string_view("$LATEST") : last.executed_version);
  json.key("functionError");
  if (last.error.empty()) {
    json.null();
  } else {
    json.string(last.error);
  }
  json.end_object();
}

void append_batch(JsonWriter& json, const FailureMessage& message) {
  const auto& records = message.discard.records;
  json.key("DDBStreamBatchInfo");
  json.begin_object();
  json.member("shardId", message.shard_id);
  json.member("startSequenceNumber", sequence_number(records.front().number));
  json.member("endSequenceNumber", sequence_number(records.back().number));
  json.member("approximateArrivalOfFirstRecord", iso_seconds(records.front().written));
  json.member("approximateArrivalOfLastRecord", iso_seconds(records.back().written));
  json.member("batchSize", static_cast<std::int64_t>(records.size()));
  json.member("streamArn", message.stream_arn);
  json.end_object();
}

}  // namespace

std::string failure_message(const FailureMessage& message, bool with_payload) {
  const bool is_old = message.discard.reason == DiscardReason::RecordAgeExceeded;
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("requestContext");
  json.begin_object();
  json.member("requestId", message.request_id);
  json.member("functionArn", message.function_arn);
  json.member("condition", to_text(message.discard.reason));
  json.member("approximateInvokeCount", static_cast<std::int64_t>(message.discard.calls));
  json.end_object();
  if (!is_old && message.last != nullptr) append_response(json, *message.last);
  json.member("version", "1.0");
  json.member("timestamp", iso_extended(message.now));
  append_batch(json, message);
  if (with_payload) {
    json.key("payload");
    json.raw(event_of(message.discard.records));
  }
  json.end_object();
  return text;
}

bool is_bucket(std::string_view destination_arn) {
  const std::size_t service = destination_arn.find(":s3:");
  return destination_arn.starts_with("arn:") && service == destination_arn.find(':', 4);
}

std::string failure_key(std::string_view uuid, std::string_view shard_id, Timestamp now,
                        std::string_view request_id) {
  std::string time = iso_extended(now).substr(0, 19);  // 2027-01-01T00:00:00
  std::string day = time.substr(0, 10);
  std::replace(time.begin(), time.end(), ':', '.');
  std::replace(day.begin(), day.end(), '-', '/');
  std::string key = "aws/lambda/";
  key.append(uuid).append("/").append(shard_id).append("/").append(day);
  return key.append("/").append(time).append("-").append(request_id);
}

}  // namespace stator::triggers

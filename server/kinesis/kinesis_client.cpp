#include "server/kinesis/kinesis_client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/operations/operation.h"
#include "engine/seams/clock.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "protocol/text/base64.h"
#include "server/client/signature.h"
#include "server/data/transfer/json_text.h"
#include "server/options/server_address.h"

namespace stator {
namespace {

constexpr std::size_t kAnswerBytesMax = std::size_t{4} << 20;
constexpr unsigned kOk = 200;
constexpr unsigned kErrorsOfServer = 500;

// Errors of a request that passes after a while.
constexpr std::array<std::string_view, 5> kThrottling = {
    "LimitExceededException", "ProvisionedThroughputExceededException", "ThrottlingException",
    "RequestLimitExceeded", "KMSThrottlingException"};
// Errors that a repeated request gets again.
constexpr std::array<std::string_view, 3> kInvalid = {
    "ValidationException", "InvalidArgumentException", "SerializationException"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& codes, std::string_view code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

void write_stream(JsonWriter& out, const RemoteStream& stream) {
  out.member("StreamName", stream.name);
  out.member("StreamARN", stream.arn);
}

// The answer's JSON object; a null without one.
JsonNode object_in(std::string& text, Arena& arena) {
  const auto read = read_json(text, arena);
  return read && read->kind() == JsonNode::Kind::Object ? *read : JsonNode{};
}

std::string_view code_of(const JsonNode& answer) {
  std::string_view type = answer.is_null() ? "" : data::text_in(answer, "__type");
  type.remove_prefix(type.rfind('#') + 1);
  return type;
}

std::string request_of(const RemoteStream& stream,
                       const std::vector<const KinesisQueueRecord*>& records) {
  std::string body;
  JsonWriter out(body);
  out.begin_object();
  write_stream(out, stream);
  out.key("Records");
  out.begin_array();
  for (const KinesisQueueRecord* record : records) {
    std::string encoded;
    append_base64(encoded, record->data);
    out.begin_object();
    out.member("Data", std::string_view(encoded));
    out.member("PartitionKey", std::string_view(record->partition_key));
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return body;
}

// Reads which records were taken. An answer that does not fit the request took none.
void read_places(const JsonNode& answer, KinesisClient::Put& put) {
  const JsonNode* const records = data::member_in(answer, "Records", JsonNode::Kind::Array);
  if (records == nullptr || records->elements().size() != put.taken.size()) {
    put.why = "the answer has not one place for each record";
    return;
  }
  for (std::size_t i = 0; i < put.taken.size(); ++i) {
    const JsonNode& place = records->elements()[i];
    const bool is_place = place.kind() == JsonNode::Kind::Object;
    const std::string_view code = is_place ? data::text_in(place, "ErrorCode") : "no object";
    put.taken[i] = code.empty();
    if (!put.taken[i]) put.why = code;
  }
}

}  // namespace

KinesisClient::KinesisClient(data::Endpoint endpoint)
    : endpoint_{std::move(endpoint)},
      host_{host_text(endpoint_.server)},
      connection_{endpoint_.server, endpoint_.certificate_check} {}

std::string KinesisClient::address() const { return address_text(endpoint_.server); }

tl::expected<HttpClientResponse, HttpClientError> KinesisClient::ask(std::string_view operation,
                                                                     const RemoteStream& stream,
                                                                     const std::string& body) {
  const std::string target = std::string(kKinesisTarget).append(operation);
  const auto fields = data::signed_fields({.host = host_,
                                           .region = stream.region,
                                           .target = target,
                                           .body = body,
                                           .unix_s = SystemClock{}.now().unix_s(),
                                           .service = "kinesis",
                                           .content_type = "application/x-amz-json-1.1"},
                                          endpoint_.credentials);
  return connection_.ask({.path = "/",
                          .fields = fields,
                          .body = body,
                          .keeps_connection = true,
                          .response_bytes_max = kAnswerBytesMax});
}

KinesisClient::Look KinesisClient::look_at(const RemoteStream& stream) {
  std::string body;
  JsonWriter out(body);
  out.begin_object();
  write_stream(out, stream);
  out.end_object();
  auto answer = ask("DescribeStreamSummary", stream, body);
  if (!answer || answer->status >= kErrorsOfServer) return Look::NoAnswer;
  Arena arena;
  const JsonNode object = object_in(answer->body, arena);
  if (answer->status != kOk)
    return is_one_of(kThrottling, code_of(object)) ? Look::NoAnswer : Look::Refused;
  if (object.is_null()) return Look::NoAnswer;
  const JsonNode* const summary =
      data::member_in(object, "StreamDescriptionSummary", JsonNode::Kind::Object);
  const bool is_active = summary != nullptr && data::text_in(*summary, "StreamStatus") == "ACTIVE";
  return is_active ? Look::Active : Look::Refused;
}

KinesisClient::Put KinesisClient::put(const RemoteStream& stream,
                                      const std::vector<const KinesisQueueRecord*>& records) {
  Put put;
  put.taken.resize(records.size());
  auto answer = ask("PutRecords", stream, request_of(stream, records));
  if (!answer) {
    put.why = answer.error().why;
    return put;
  }
  Arena arena;
  const JsonNode object = object_in(answer->body, arena);
  if (answer->status == kOk && !object.is_null()) {
    read_places(object, put);
    return put;
  }
  const std::string_view code = code_of(object);
  put.is_invalid = answer->status < kErrorsOfServer && is_one_of(kInvalid, code);
  put.why = "status ";
  put.why.append(std::to_string(answer->status)).append(code.empty() ? "" : ", ").append(code);
  return put;
}

}  // namespace stator

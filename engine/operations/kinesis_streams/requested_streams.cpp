#include "engine/operations/kinesis_streams/requested_streams.h"

#include <utility>

#include "engine/call/scope.h"
#include "engine/call/settings.h"
#include "engine/kinesis/shards.h"
#include "engine/storage/descriptions/kinesis_streams.h"
#include "protocol/text/base64.h"

namespace stator::kinesis {

Error invalid_argument(std::string message) {
  return Error(ErrorCode::InvalidArgument, std::move(message));
}

Error stream_not_found(std::string_view name, const Call& call) {
  std::string text = "Stream ";
  text.append(name).append(" under account ").append(call.settings->account_id);
  return Error::resource_not_found(text.append(" not found."));
}

Result<void> check_body(const JsonNode& body, const TypeSpec& shape, const Call& call) {
  STATOR_CHECK(check_types(body, shape));
  return check_constraints(body, shape, call.wording);
}

Result<std::string_view> requested_name(const JsonNode& body, const Call& call) {
  if (const auto name = string_member(body, "StreamName")) return *name;
  const auto text = string_member(body, "StreamARN");
  if (!text) return invalid_argument("Either StreamName or StreamARN should be provided.");
  const auto arn = parse_kinesis_arn(*text);
  const bool is_ours = arn && !arn->stream.empty() && arn->region == call.caller.region &&
                       arn->account_id == call.settings->account_id;
  if (!is_ours) return stream_not_found(arn ? arn->stream : *text, call);
  return arn->stream;
}

Result<KinesisStream> find_requested_stream(std::string_view name, const Snapshot& snapshot,
                                            Call& call) {
  STATOR_TRY(auto stream, storage::find_kinesis_stream(snapshot.transaction(),
                                                       scope_of(call, call.arena), name));
  if (!stream || stream->is_gone(snapshot.now())) return stream_not_found(name, call);
  return *std::move(stream);
}

Result<KinesisStream> find_filled_stream(std::string_view name, const Snapshot& snapshot,
                                         Call& call) {
  STATOR_TRY(auto stream, find_requested_stream(name, snapshot, call));
  if (stream.status(snapshot.now()) == "CREATING") return stream_not_found(name, call);
  return stream;
}

std::string write_page_token(std::string_view names) {
  std::string text;
  append_base64(text, names);
  return text;
}

std::optional<std::string_view> read_page_token(std::string_view text, Arena& arena) {
  if (text.empty() || check_base64(text) != Base64Error::None) return std::nullopt;
  return decode_base64(text, arena);
}

void write_mode(JsonWriter& out, const KinesisStream& stream) {
  out.key("StreamModeDetails");
  out.begin_object();
  out.member("StreamMode", stream.is_on_demand ? "ON_DEMAND" : "PROVISIONED");
  out.end_object();
}

void write_shard(JsonWriter& out, const KinesisStream& stream, std::uint32_t shard) {
  const KinesisHashRange range =
      kinesis_hash_range(shard, static_cast<std::uint32_t>(stream.shard_count));
  out.begin_object();
  out.member("ShardId", std::string_view(kinesis_shard_id(shard)));
  out.key("HashKeyRange");
  out.begin_object();
  out.member("StartingHashKey", std::string_view(kinesis_hash_text(range.first)));
  out.member("EndingHashKey", std::string_view(kinesis_hash_text(range.last)));
  out.end_object();
  out.key("SequenceNumberRange");
  out.begin_object();
  out.member("StartingSequenceNumber",
             std::string_view(kinesis_sequence_text({stream.created, shard, 0, stream.created})));
  out.end_object();
  out.end_object();
}

Result<std::uint32_t> first_shard_after(std::optional<std::string_view> id) {
  if (!id) return std::uint32_t{0};
  const auto shard = kinesis_shard_of_id(*id);
  if (!shard) return invalid_argument("Invalid ExclusiveStartShardId.");
  return *shard + 1;
}

}  // namespace stator::kinesis

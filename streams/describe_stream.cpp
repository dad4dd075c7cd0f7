// DescribeStream: a stream and its shards in the order of their ids, which is the order of opening;
// with a filter, the children of one shard.
#include "engine/api/stream_reader.h"
#include "engine/operations/define.h"
#include "engine/tables/key_schema.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/wording.h"
#include "protocol/shapes/shape.h"
#include "streams/requested_stream.h"
#include "streams/sequence_number.h"

namespace stator {
namespace {

// The type is a plain string in the model; the texts are from an emulator
// (conformance/observed/streams.md 4).
Result<void> check_filter(const JsonNode& body) {
  const JsonNode* filter = body.find("ShardFilter");
  if (filter == nullptr) return {};
  const auto type = string_member(*filter, "Type");
  if (type != "CHILD_SHARDS") {
    return constraint_error("shardFilter.type", "Member must be CHILD_SHARDS",
                            type.value_or("null"));
  }
  if (!string_member(*filter, "ShardId")) {
    return Error::validation(
               "Value null at 'shardFilter.shardId' failed to satisfy constraint: Member must not "
               "be null")
        .within(kOneValidationError);
  }
  if (body.find("ExclusiveStartShardId") != nullptr) {
    return Error::validation(
        "ShardFilter and ExclusiveStartShardId both should not be specified in the request.");
  }
  return {};
}

void write_shard(JsonWriter& out, const Shard& shard) {
  out.begin_object();
  out.member("ShardId", std::string_view(shard.id));
  out.key("SequenceNumberRange");
  out.begin_object();
  out.member("StartingSequenceNumber", std::string_view(sequence_number(shard.start)));
  if (shard.end) out.member("EndingSequenceNumber", std::string_view(sequence_number(*shard.end)));
  out.end_object();
  if (!shard.parent_id.empty()) out.member("ParentShardId", std::string_view(shard.parent_id));
  out.end_object();
}

struct DescribeStream {
  static constexpr std::string_view name = "DescribeStream";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    StreamArn arn;
    std::string_view start_after;               // a shard's id; empty to start at the first
    std::optional<std::string_view> parent_id;  // return only children of this shard
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kDescribeStreamInput));
    STATOR_CHECK(check_constraints(body, model::kDescribeStreamInput, call.wording));
    const std::int64_t limit = integer_member(body, "Limit").value_or(kStreamsPageMax);
    if (limit > kStreamsPageMax)
      return invalid_stream_parameter("Limit cannot be greater than the maximum: 100");
    STATOR_CHECK(check_filter(body));
    STATOR_TRY(const StreamArn arn, parse_stream_arn(*string_member(body, "StreamArn")));
    call.table_name = arn.table.table_name;
    const JsonNode* filter = body.find("ShardFilter");
    return call.arena.make<Request>(
        arn, string_member(body, "ExclusiveStartShardId").value_or(""),
        filter == nullptr ? std::nullopt : string_member(*filter, "ShardId"), limit);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const StreamReader streams(snapshot);
    STATOR_TRY(const Stream stream, find_requested(request.arn, streams, call));
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("StreamDescription");
    out.begin_object();
    out.member("StreamArn", std::string_view(stream.arn()));
    out.member("StreamLabel", std::string_view(stream.label));
    out.member("StreamStatus", to_text(stream.status(streams.now())));
    out.member("StreamViewType", to_text(stream.view_type));
    out.key("CreationRequestDateTime");
    out.timestamp_ms(stream.created.unix_ms());
    out.member("TableName", std::string_view(stream.table_name));
    write_key_schema(out, stream.partition_key, stream.sort_key);
    STATOR_CHECK(write_shards(out, request, stream, streams, call));
    out.end_object();
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.arn.text});
  }

 private:
  static Result<void> write_shards(JsonWriter& out, const Request& request, const Stream& stream,
                                   const StreamReader& streams, Call& call) {
    out.key("Shards");
    out.begin_array();
    std::string last;
    bool has_more = false;
    std::string id(request.start_after);
    bool is_known = true;
    if (!id.empty()) {
      STATOR_TRY(const auto start, streams.find_shard(stream.number, id));
      is_known = start.has_value();
    }
    for (std::int64_t count = 0; is_known;) {
      constexpr std::size_t kStepsOfShard = 1000;
      STATOR_CHECK(call.work.go_on(kStepsOfShard));
      STATOR_TRY(const auto shard, streams.next_shard(stream.number, id));
      if (!shard) break;
      id = shard->id;
      if (request.parent_id && shard->parent_id != *request.parent_id) continue;
      has_more = count++ == request.limit;
      if (has_more) break;
      write_shard(out, *shard);
      last = shard->id;
    }
    out.end_array();
    if (has_more) out.member("LastEvaluatedShardId", std::string_view(last));
    return {};
  }
};

}  // namespace

Operation describe_stream_row() { return define<DescribeStream>(); }

}  // namespace stator

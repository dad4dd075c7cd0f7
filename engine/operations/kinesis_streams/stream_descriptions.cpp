// DescribeStream, DescribeStreamSummary and ListShards.

#include <algorithm>

#include "engine/kinesis/shards.h"
#include "engine/operations/define.h"
#include "engine/operations/kinesis_streams/requested_streams.h"
#include "engine/operations/kinesis_streams/stream_shapes.h"

namespace stator::kinesis {
namespace {

constexpr std::int64_t kShardsShown = 100;    // of DescribeStream, without a limit
constexpr std::int64_t kShardsListed = 1000;  // of ListShards
constexpr char kBeforeShard = '/';            // in a token, between names
constexpr std::int64_t kRetentionHours = kKinesisRetention.count();

void write_identity(JsonWriter& out, const KinesisStream& stream, Timestamp now) {
  out.member("StreamName", std::string_view(stream.name));
  out.member("StreamARN", std::string_view(stream.arn()));
  out.member("StreamStatus", stream.status(now));
  write_mode(out, stream);
}

void write_settings(JsonWriter& out, const KinesisStream& stream) {
  out.member("RetentionPeriodHours", kRetentionHours);
  out.key("StreamCreationTimestamp");
  out.timestamp_ms(stream.created.unix_ms());
  out.key("EnhancedMonitoring");
  out.raw(R"([{"ShardLevelMetrics":[]}])");
  out.member("EncryptionType", "NONE");
}

// The shards from `first` on, at most `count_max`. Returns whether there are more.
bool write_shards(JsonWriter& out, const KinesisStream& stream, std::uint32_t first,
                  std::int64_t count_max, Timestamp now) {
  const bool has_shards = stream.status(now) != "CREATING";
  const std::int64_t end =
      has_shards ? std::min(stream.shard_count, std::int64_t{first} + count_max) : 0;
  out.key("Shards");
  out.begin_array();
  for (std::int64_t shard = first; shard < end; ++shard)
    write_shard(out, stream, static_cast<std::uint32_t>(shard));
  out.end_array();
  return has_shards && end < stream.shard_count && std::int64_t{first} < stream.shard_count;
}

struct DescribeStream : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "DescribeStream";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view name;
    std::uint32_t first;
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kNamedStream, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    STATOR_TRY(const std::uint32_t first,
               first_shard_after(string_member(body, "ExclusiveStartShardId")));
    return call.arena.make<Request>(stream, first,
                                    integer_member(body, "Limit").value_or(kShardsShown));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto stream, find_requested_stream(request.name, snapshot, call));
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("StreamDescription");
    out.begin_object();
    write_identity(out, stream, snapshot.now());
    const bool has_more = write_shards(out, stream, request.first, request.limit, snapshot.now());
    out.member("HasMoreShards", has_more);
    write_settings(out, stream);
    out.end_object();
    out.end_object();
    return {};
  }
};

struct DescribeStreamSummary : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "DescribeStreamSummary";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kNamedStream, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    return call.arena.make<Request>(stream);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto stream, find_requested_stream(request.name, snapshot, call));
    const bool has_shards = stream.status(snapshot.now()) != "CREATING";
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("StreamDescriptionSummary");
    out.begin_object();
    write_identity(out, stream, snapshot.now());
    write_settings(out, stream);
    out.member("OpenShardCount", has_shards ? stream.shard_count : std::int64_t{0});
    out.member("ConsumerCount", std::int64_t{0});
    out.end_object();
    out.end_object();
    return {};
  }
};

// A filter of shards selects all of them, because none is ever split.
struct ListShards : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "ListShards";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view name;
    std::uint32_t first;
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kListShards, call));
    const auto token = string_member(body, "NextToken");
    const bool is_named = body.has("StreamName") || body.has("StreamARN");
    if (token && is_named)
      return invalid_argument("NextToken and StreamName cannot be provided together.");
    if (!token && !is_named)
      return invalid_argument("Either NextToken or StreamName should be provided.");
    const std::int64_t limit = integer_member(body, "MaxResults").value_or(kShardsListed);
    if (token) {
      const auto names = read_page_token(*token, call.arena);
      const std::size_t between = names ? names->find(kBeforeShard) : std::string_view::npos;
      if (between == std::string_view::npos) return invalid_argument("Invalid NextToken.");
      STATOR_TRY(const std::uint32_t next, first_shard_after(names->substr(between + 1)));
      return call.arena.make<Request>(names->substr(0, between), next, limit);
    }
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    STATOR_TRY(const std::uint32_t first,
               first_shard_after(string_member(body, "ExclusiveStartShardId")));
    return call.arena.make<Request>(stream, first, limit);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto stream, find_requested_stream(request.name, snapshot, call));
    JsonWriter out(call.reply);
    out.begin_object();
    if (write_shards(out, stream, request.first, request.limit, snapshot.now())) {
      std::string names = stream.name;
      const auto last = request.first + static_cast<std::uint32_t>(request.limit) - 1;
      names.append(1, kBeforeShard).append(kinesis_shard_id(last));
      out.member("NextToken", std::string_view(write_page_token(names)));
    }
    out.end_object();
    return {};
  }
};

}  // namespace
}  // namespace stator::kinesis

namespace stator {

Operation kinesis_describe_stream_row() { return define<kinesis::DescribeStream>(); }
Operation kinesis_describe_stream_summary_row() { return define<kinesis::DescribeStreamSummary>(); }
Operation kinesis_list_shards_row() { return define<kinesis::ListShards>(); }

}  // namespace stator

// ListStreams: the streams of a scope in the order of their names, a page at a time.

#include <vector>

#include "engine/call/scope.h"
#include "engine/operations/define.h"
#include "engine/operations/kinesis_streams/requested_streams.h"
#include "engine/operations/kinesis_streams/stream_shapes.h"
#include "engine/storage/descriptions/kinesis_streams.h"

namespace stator::kinesis {
namespace {

constexpr std::int64_t kStreamsListed = 100;

struct ListStreams : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "ListStreams";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view after;  // empty: from the first on
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kListStreams, call));
    std::string_view after = string_member(body, "ExclusiveStartStreamName").value_or("");
    if (const auto token = string_member(body, "NextToken")) {
      const auto named = read_page_token(*token, call.arena);
      if (!named) return invalid_argument("Invalid NextToken.");
      after = *named;
    }
    return call.arena.make<Request>(after, integer_member(body, "Limit").value_or(kStreamsListed));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    std::vector<KinesisStream> found;  // one more than the page has, if any
    const std::string_view scope = scope_of(call, call.arena);
    const auto limit = static_cast<std::size_t>(request.limit);
    for (std::string after(request.after); found.size() <= limit;) {
      STATOR_TRY(auto stream, storage::next_kinesis_stream(snapshot.transaction(), scope, after));
      if (!stream) break;
      after = stream->name;
      if (!stream->is_gone(snapshot.now())) found.push_back(*std::move(stream));
    }
    const bool has_more = found.size() > limit;
    if (has_more) found.pop_back();
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("StreamNames");
    out.begin_array();
    for (const KinesisStream& stream : found) out.string(stream.name);
    out.end_array();
    out.member("HasMoreStreams", has_more);
    if (has_more) out.member("NextToken", std::string_view(write_page_token(found.back().name)));
    out.key("StreamSummaries");
    out.begin_array();
    for (const KinesisStream& stream : found) write_summary(out, stream, snapshot.now());
    out.end_array();
    out.end_object();
    return {};
  }

  static void write_summary(JsonWriter& out, const KinesisStream& stream, Timestamp now) {
    out.begin_object();
    out.member("StreamName", std::string_view(stream.name));
    out.member("StreamARN", std::string_view(stream.arn()));
    out.member("StreamStatus", stream.status(now));
    write_mode(out, stream);
    out.key("StreamCreationTimestamp");
    out.timestamp_ms(stream.created.unix_ms());
    out.end_object();
  }
};

}  // namespace
}  // namespace stator::kinesis

namespace stator {

Operation kinesis_list_streams_row() { return define<kinesis::ListStreams>(); }

}  // namespace stator

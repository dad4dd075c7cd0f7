// ListStreams: the streams of the scope, or of tables with one name, deleted ones included, by
// table name and label.
#include "engine/api/stream_reader.h"
#include "engine/call/scope.h"
#include "engine/operations/define.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"
#include "streams/requested_stream.h"

namespace stator {
namespace {

struct ListStreams {
  static constexpr std::string_view name = "ListStreams";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::optional<std::string_view> table_name;
    std::optional<StreamArn> start_after;
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kListStreamsInput));
    STATOR_CHECK(check_constraints(body, model::kListStreamsInput, call.wording));
    Request request{string_member(body, "TableName"), std::nullopt,
                    integer_member(body, "Limit").value_or(kStreamsPageMax)};
    call.table_name = request.table_name.value_or("");
    if (request.limit > kStreamsPageMax)
      return invalid_stream_parameter("Limit cannot be greater than the maximum allowed size: 100");
    if (const auto arn = string_member(body, "ExclusiveStartStreamArn")) {
      STATOR_TRY(request.start_after, parse_stream_arn(*arn));
    }
    return call.arena.make<Request>(request);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const StreamReader streams(snapshot);
    StreamName after{scope_of(call, call.arena), {}, {}};
    if (request.start_after) {
      after.table_name = request.start_after->table.table_name;
      after.label = request.start_after->label;
    }
    const auto next = [&] { return streams.next(after, request.table_name); };
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Streams");
    out.begin_array();
    STATOR_TRY(auto stream, next());
    std::string last;
    Stream listed;  // `after` points into it
    for (std::int64_t count = 0; stream && count < request.limit; ++count) {
      listed = *std::move(stream);
      last = listed.arn();
      out.begin_object();
      out.member("StreamArn", std::string_view(last));
      out.member("TableName", std::string_view(listed.table_name));
      out.member("StreamLabel", std::string_view(listed.label));
      out.end_object();
      after.table_name = listed.table_name;
      after.label = listed.label;
      STATOR_TRY(stream, next());
    }
    out.end_array();
    if (stream) out.member("LastEvaluatedStreamArn", std::string_view(last));
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name.value_or(""), .reach = Reach::AllTables});
  }
};

}  // namespace

Operation list_streams_row() { return define<ListStreams>(); }

}  // namespace stator

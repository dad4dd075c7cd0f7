// DescribeKinesisStreamingDestination.

#include "engine/operations/define.h"
#include "engine/operations/kinesis/destination_requests.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

struct DescribeKinesisStreamingDestination {
  static constexpr std::string_view name = "DescribeKinesisStreamingDestination";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kDescribeKinesisStreamingDestinationInput, call));
    return call.arena.make<Request>(call.table_name);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const Timestamp now = snapshot.now();
    STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
    if (table->status(now) == TableStatus::Creating) return table_not_found(table->name);
    const bool is_deleting = table->status(now) == TableStatus::Deleting;
    JsonWriter out(call.reply);
    out.begin_object();
    out.member("TableName", std::string_view(table->name));
    out.key("KinesisDataStreamDestinations");
    out.begin_array();
    for (const KinesisDestination& one : table->kinesis) write(out, one, is_deleting, now);
    out.end_array();
    out.end_object();
    return {};
  }

  // The live destination of a table that is being deleted is UPDATING.
  static void write(JsonWriter& out, const KinesisDestination& one, bool is_deleting,
                    Timestamp now) {
    const std::string_view status =
        is_deleting && one.is_live(now) ? std::string_view("UPDATING") : one.status(now);
    out.begin_object();
    out.member("StreamArn", std::string_view(one.stream_arn));
    out.member("DestinationStatus", status);
    if (status == to_text(KinesisState::EnableFailed) && !one.reason.empty())
      out.member("DestinationStatusDescription", std::string_view(one.reason));
    if (one.precision) out.member("ApproximateCreationDateTimePrecision", to_text(*one.precision));
    out.end_object();
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation describe_kinesis_streaming_destination_row() {
  return define<DescribeKinesisStreamingDestination>();
}

}  // namespace stator

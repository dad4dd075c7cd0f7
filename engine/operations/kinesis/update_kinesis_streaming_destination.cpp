// UpdateKinesisStreamingDestination.

#include <string>
#include <utility>

#include "engine/call/settings.h"
#include "engine/operations/define.h"
#include "engine/operations/kinesis/destination_requests.h"
#include "engine/state/mutation.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr std::string_view kUpdating = "UpdateKinesisStreamingConfiguration";

struct UpdateKinesisStreamingDestination {
  static constexpr std::string_view name = "UpdateKinesisStreamingDestination";
  static constexpr Layer layer = Layer::Classic;
  using Request = DestinationRequest;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kUpdateKinesisStreamingDestinationInput, call));
    const Request request = destination_request(body, kUpdating, call);
    if (!request.precision)
      return Error::validation(
          "Streaming destination cannot be updated with given parameters: "
          "UpdateKinesisStreamingConfiguration cannot be null or contain only null values");
    return call.arena.make<Request>(request);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const Timestamp now = snapshot.now();
    STATOR_TRY(const Table* found, find_streaming(request.table_name, snapshot, call));
    Table table = *found;
    KinesisDestination* const one = find_destination(table, request.stream_arn);
    STATOR_CHECK(check(one, request, table, now));
    one->precision = request.precision;
    one->is_updating = true;
    one->changing_until = now.settled_after(call.settings->control_plane_delay);
    JsonWriter out(call.reply);
    write_destination(out, table, request, "UPDATING", kUpdating);
    mutation.put_table(std::move(table));
    return {};
  }

  static Result<void> check(const KinesisDestination* one, const Request& request,
                            const Table& table, Timestamp now) {
    const std::string arn(request.stream_arn);
    std::string text;
    if (one == nullptr) {
      text = "No streaming destination with streamArn: ";
      text.append(arn).append(" found for table with tableName: ").append(table.name);
      return Error::validation(std::move(text));
    }
    if (one->status(now) != "ACTIVE") {
      text = "Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. ";
      text.append("TableName: ").append(table.name).append(", kdsArn: ").append(arn);
      return Error::validation(std::move(text));
    }
    if (one->precision.value_or(KinesisPrecision::Millisecond) != *request.precision) return {};
    text = "Invalid Request: Precision is already set to the desired value of ";
    text.append(to_text(*request.precision)).append(" for tableId: ").append(table.id);
    text.append(", kdsArn: ").append(arn);
    return Error::validation(std::move(text));
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation update_kinesis_streaming_destination_row() {
  return define<UpdateKinesisStreamingDestination>();
}

}  // namespace stator

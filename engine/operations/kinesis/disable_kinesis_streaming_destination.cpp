// DisableKinesisStreamingDestination.

#include <utility>

#include "engine/call/settings.h"
#include "engine/operations/define.h"
#include "engine/operations/kinesis/destination_requests.h"
#include "engine/state/mutation.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr std::string_view kConfiguration = "EnableKinesisStreamingConfiguration";

struct DisableKinesisStreamingDestination {
  static constexpr std::string_view name = "DisableKinesisStreamingDestination";
  static constexpr Layer layer = Layer::Classic;
  using Request = DestinationRequest;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kKinesisStreamingDestinationInput, call));
    const Request request = destination_request(body, kConfiguration, call);
    if (request.has_configuration)
      return Error::validation(
          "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters");
    return call.arena.make<Request>(request);
  }

  // Disabling again changes nothing while it goes on.
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const Timestamp now = snapshot.now();
    STATOR_TRY(const Table* found, find_streaming(request.table_name, snapshot, call));
    Table table = *found;
    KinesisDestination* const one = find_destination(table, request.stream_arn);
    const std::string_view status = one != nullptr ? one->status(now) : "";
    if (status != "ACTIVE" && status != "DISABLING")
      return Error::validation(
          "Table is not in a valid state to enable Kinesis Streaming Destination: "
          "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.");
    JsonWriter out(call.reply);
    write_destination(out, table, request, "DISABLING", {});
    if (status == "DISABLING") return {};
    one->state = KinesisState::Disabled;
    one->is_updating = false;
    one->changing_until = now.settled_after(call.settings->control_plane_delay);
    mutation.put_table(std::move(table));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation disable_kinesis_streaming_destination_row() {
  return define<DisableKinesisStreamingDestination>();
}

}  // namespace stator

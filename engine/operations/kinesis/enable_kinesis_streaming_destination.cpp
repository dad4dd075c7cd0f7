// EnableKinesisStreamingDestination.

#include <algorithm>
#include <utility>

#include "engine/call/settings.h"
#include "engine/kinesis/destination_decision.h"
#include "engine/operations/define.h"
#include "engine/operations/kinesis/destination_requests.h"
#include "engine/state/mutation.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr std::string_view kEnabling = "EnableKinesisStreamingConfiguration";

struct EnableKinesisStreamingDestination {
  static constexpr std::string_view name = "EnableKinesisStreamingDestination";
  static constexpr Layer layer = Layer::Classic;
  using Request = DestinationRequest;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kKinesisStreamingDestinationInput, call));
    return call.arena.make<Request>(destination_request(body, kEnabling, call));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const Timestamp now = snapshot.now();
    STATOR_TRY(const Table* found, find_streaming(request.table_name, snapshot, call));
    const bool has_live = std::any_of(found->kinesis.begin(), found->kinesis.end(),
                                      [&](const auto& one) { return one.is_live(now); });
    if (has_live)
      return Error::validation(
          "Table is not in a valid state to enable Kinesis Streaming Destination: "
          "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE "
          "operation.");
    Table table = *found;
    KinesisDestination& one = entry_for(table, request.stream_arn);
    one = {.stream_arn = std::string(request.stream_arn),
           .reason = {},
           .precision = request.precision,
           .end = {},
           .changing_until = now.settled_after(call.settings->control_plane_delay)};
    if (!call.settings->has_kinesis_server) {
      STATOR_TRY(one.reason,
                 kinesis_refusal(table, request.stream_arn, snapshot.transaction(), now));
      one.state = one.reason.empty() ? KinesisState::Active : KinesisState::EnableFailed;
    }
    JsonWriter out(call.reply);
    write_destination(out, table, request, "ENABLING", kEnabling);
    mutation.put_table(std::move(table));
    return {};
  }

  // The stream's old entry, or a new one before all others.
  static KinesisDestination& entry_for(Table& table, std::string_view stream_arn) {
    if (KinesisDestination* const old = find_destination(table, stream_arn)) return *old;
    table.kinesis.insert(table.kinesis.begin(), KinesisDestination{});
    if (table.kinesis.size() > kKinesisDestinationsMax) table.kinesis.pop_back();
    return table.kinesis.front();
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation enable_kinesis_streaming_destination_row() {
  return define<EnableKinesisStreamingDestination>();
}

}  // namespace stator

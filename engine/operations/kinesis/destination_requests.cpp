#include "engine/operations/kinesis/destination_requests.h"

#include <algorithm>

#include "engine/tables/table_state.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::string_view kPrecisionMember = "ApproximateCreationDateTimePrecision";

}  // namespace

DestinationRequest destination_request(const JsonNode& body, std::string_view configuration,
                                       const Call& call) {
  DestinationRequest request;
  request.table_name = call.table_name;
  request.stream_arn = *string_member(body, "StreamArn");
  const JsonNode* const given = body.find(configuration);
  request.has_configuration = given != nullptr;
  const auto precision = given != nullptr ? string_member(*given, kPrecisionMember) : std::nullopt;
  if (precision) {
    request.precision = *precision == to_text(KinesisPrecision::Microsecond)
                            ? KinesisPrecision::Microsecond
                            : KinesisPrecision::Millisecond;
  }
  return request;
}

Result<const Table*> find_streaming(std::string_view table_name, const Snapshot& snapshot,
                                    Call& call) {
  STATOR_TRY(const Table* table, snapshot.control_table(call, table_name));
  if (table->status(snapshot.now()) == TableStatus::Creating) return table_not_found(table->name);
  STATOR_CHECK(check_changeable(*table, snapshot.now()));
  return table;
}

KinesisDestination* find_destination(Table& table, std::string_view stream_arn) {
  const auto found =
      std::find_if(table.kinesis.begin(), table.kinesis.end(),
                   [&](const KinesisDestination& one) { return one.stream_arn == stream_arn; });
  return found == table.kinesis.end() ? nullptr : &*found;
}

void write_destination(JsonWriter& out, const Table& table, const DestinationRequest& request,
                       std::string_view status, std::string_view configuration) {
  out.begin_object();
  out.member("TableName", std::string_view(table.name));
  out.member("StreamArn", request.stream_arn);
  out.member("DestinationStatus", status);
  if (!configuration.empty()) {
    out.key(configuration);
    out.begin_object();
    if (request.precision) out.member(kPrecisionMember, to_text(*request.precision));
    out.end_object();
  }
  out.end_object();
}

}  // namespace stator

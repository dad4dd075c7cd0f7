// What the operations on Kinesis destinations share: the table, the destination, the precision, the
// members of responses (conformance/observed/kinesis.md 1 and 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/json/json_writer.h"

namespace stator {

struct DestinationRequest {
  std::string_view table_name;
  std::string_view stream_arn;
  std::optional<KinesisPrecision> precision;
  bool has_configuration = false;
};

// REQUIRES: types and constraints were checked. `configuration` is the member with the precision.
DestinationRequest destination_request(const JsonNode& body, std::string_view configuration,
                                       const Call& call);

// The table of a request that changes destinations. Errors: ResourceNotFoundException if it is
// missing or being created; ResourceInUseException while it is being deleted.
Result<const Table*> find_streaming(std::string_view table_name, const Snapshot& snapshot,
                                    Call& call);

// The entry of this stream; nullptr if there is none.
KinesisDestination* find_destination(Table& table, std::string_view stream_arn);

// Writes TableName, StreamArn, DestinationStatus and, with a name, the configuration as it was
// sent: a whole response.
void write_destination(JsonWriter& out, const Table& table, const DestinationRequest& request,
                       std::string_view status, std::string_view configuration);

}  // namespace stator

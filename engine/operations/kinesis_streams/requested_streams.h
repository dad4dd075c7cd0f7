// What the operations of Kinesis share: the stream that a request names, errors, tokens and members
// of responses (conformance/observed/kinesis.md 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "engine/schema/kinesis.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/json/json_writer.h"
#include "protocol/shapes/shape.h"

namespace stator::kinesis {

// The base of the operations: they touch no table, and the engine makes no permissions for them.
// With access control the server asks for its token instead (server/dispatch/access_steps.cpp).
struct TouchesNoTable {
  template <class Request>
  static void resources(const Request& /*request*/, Resources& /*touched*/) {}
};

Error invalid_argument(std::string message);
// "Stream S under account A not found."
Error stream_not_found(std::string_view name, const Call& call);

// Checks the body's types and constraints.
Result<void> check_body(const JsonNode& body, const TypeSpec& shape, const Call& call);

// The name in StreamName or StreamARN, which is as in the request. Error: InvalidArgumentException
// if there is neither; ResourceNotFoundException for an ARN of another Region, account or service.
Result<std::string_view> requested_name(const JsonNode& body, const Call& call);

// The stream of this name. Error: ResourceNotFoundException.
Result<KinesisStream> find_requested_stream(std::string_view name, const Snapshot& snapshot,
                                            Call& call);
// For requests on records: a stream that is being created is not found either.
Result<KinesisStream> find_filled_stream(std::string_view name, const Snapshot& snapshot,
                                         Call& call);

// A token for the next page: names in Base64, without secrets. Empty if the text is none.
std::string write_page_token(std::string_view names);
std::optional<std::string_view> read_page_token(std::string_view text, Arena& arena);

// Writes StreamModeDetails.
void write_mode(JsonWriter& out, const KinesisStream& stream);
// Writes an element of Shards.
void write_shard(JsonWriter& out, const KinesisStream& stream, std::uint32_t shard);

// The number of the first shard after this id; the first of all without one. Error:
// InvalidArgumentException if the text is no id.
Result<std::uint32_t> first_shard_after(std::optional<std::string_view> id);

}  // namespace stator::kinesis

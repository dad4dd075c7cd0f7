// Finds the stream that a request names and reports invalid names (conformance/observed/streams.md
// 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/api/stream_reader.h"
#include "engine/call/call.h"
#include "engine/schema/stream.h"
#include "protocol/errors/result.h"
#include "protocol/service/arn.h"

namespace stator {

// Streams or shards in one response.
inline constexpr std::int64_t kStreamsPageMax = 100;

// The parts of arn:…:table/T/stream/LABEL; views into the text.
struct StreamArn {
  std::string_view text;
  TableArn table;
  std::string_view label;
};
// Error: `Invalid StreamArn`.
Result<StreamArn> parse_stream_arn(std::string_view text);

// Reports a stream of another Region, account or scope as not found.
Result<Stream> find_requested(const StreamArn& arn, const StreamReader& streams, const Call& call);
Error stream_not_found(std::string_view arn);

// "One or more parameter values were invalid: " + text.
Error invalid_stream_parameter(std::string_view text);

}  // namespace stator

// The stream that a request names, and what is wrong with names (conformance/observed/streams.md
// 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/call/call.h"
#include "engine/schema/stream.h"
#include "engine/state/snapshot.h"
#include "protocol/arn.h"
#include "protocol/result.h"

namespace stator {

// Streams or shards in one answer.
inline constexpr std::int64_t kStreamsPageMax = 100;

// arn:…:table/T/stream/LABEL taken apart; views into the text.
struct StreamArn {
  std::string_view text;
  TableArn table;
  std::string_view label;
};
// `Invalid StreamArn`.
Result<StreamArn> parse_stream_arn(std::string_view text);

// A stream of another Region, account or scope is not found.
Result<Stream> find_requested(const StreamArn& arn, const Snapshot& snapshot, const Call& call);
Error stream_not_found(std::string_view arn);

// The first number that the stream still has, or may still get; empty: the stream is being
// forgotten.
Result<std::optional<std::uint64_t>> trim_horizon(const Stream& stream, const Snapshot& snapshot);

// "One or more parameter values were invalid: " + text.
Error invalid_stream_parameter(std::string_view text);

}  // namespace stator

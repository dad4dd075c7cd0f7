// GetShardIterator: a position in a shard, as a token (conformance/observed/streams.md 7).
#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/api/stream_reader.h"
#include "engine/operations/define.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/error_texts.h"
#include "protocol/shapes/shape.h"
#include "streams/iterator_token.h"
#include "streams/requested_stream.h"
#include "streams/sequence_number.h"

namespace stator {
namespace {

enum class Place : std::uint8_t { TrimHorizon, Latest, AtSequence, AfterSequence, AtTime };

Place place_of(std::string_view type) {
  if (type == "TRIM_HORIZON") return Place::TrimHorizon;
  if (type == "LATEST") return Place::Latest;
  if (type == "AT_SEQUENCE_NUMBER") return Place::AtSequence;
  return type == "AFTER_SEQUENCE_NUMBER" ? Place::AfterSequence : Place::AtTime;
}

// Converts seconds to milliseconds, clamped to the range of a Timestamp.
std::int64_t milliseconds_of(const JsonNode& seconds) {
  constexpr double kSecondsMax = 1e11;
  const std::string_view text = seconds.text();
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  static_cast<void>(end);
  if (failure != std::errc()) value = text.starts_with('-') ? -kSecondsMax : kSecondsMax;
  value = std::min(std::max(value, -kSecondsMax), kSecondsMax);
  return std::llround(value * 1000);
}

Error trimmed() { return Error(ErrorCode::TrimmedDataAccess, std::string(kTrimmedDataText)); }

struct GetShardIterator {
  static constexpr std::string_view name = "GetShardIterator";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    StreamArn arn;
    std::string_view shard_id;
    Place place;
    std::uint64_t position = 0;     // by sequence number
    std::int64_t from_unix_ms = 0;  // by time
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kGetShardIteratorInput));
    STATOR_CHECK(check_constraints(body, model::kGetShardIteratorInput, call.wording));
    const Place place = place_of(*string_member(body, "ShardIteratorType"));
    const auto sequence = string_member(body, "SequenceNumber");
    const JsonNode* time = body.find("Timestamp");
    const bool by_sequence = place == Place::AtSequence || place == Place::AfterSequence;
    if (by_sequence && !sequence) return invalid_stream_parameter("Invalid SequenceNumber");
    if (!by_sequence && sequence) {
      return invalid_stream_parameter("SequenceNumber should not be passed for this iterator type");
    }
    if (place == Place::AtTime && time == nullptr)
      return invalid_stream_parameter("Invalid Timestamp");
    if (place != Place::AtTime && time != nullptr)
      return invalid_stream_parameter("Timestamp should not be passed for this iterator type");
    STATOR_TRY(const StreamArn arn, parse_stream_arn(*string_member(body, "StreamArn")));
    call.table_name = arn.table.table_name;
    Request request{arn, *string_member(body, "ShardId"), place};
    if (by_sequence) {
      const auto position = position_of(*sequence, place == Place::AfterSequence);
      if (!position) return invalid_stream_parameter("Invalid SequenceNumber");
      request.position = *position;
    }
    if (time != nullptr) request.from_unix_ms = milliseconds_of(*time);
    return call.arena.make<Request>(request);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const StreamReader streams(snapshot);
    STATOR_TRY(const Stream stream, find_requested(request.arn, streams, call));
    STATOR_TRY(const auto shard, streams.find_shard(stream.number, request.shard_id));
    STATOR_TRY(const auto horizon, streams.trim_horizon(stream));
    STATOR_TRY(const auto secret, streams.secret());
    if (!shard || !horizon || !secret) return resource_not_found("Shard does not exist");
    STATOR_TRY(IteratorToken token, place_in(*shard, *horizon, request, stream, streams));
    token.stream = stream.number;
    token.shard_id = shard->id;
    token.issued = streams.now();
    JsonWriter out(call.reply);
    out.begin_object();
    out.member("ShardIterator", std::string_view(write_token(token, request.arn.text, *secret)));
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.arn.text});
  }

 private:
  // Sets the token's position; the caller sets the other members.
  static Result<IteratorToken> place_in(const Shard& shard, std::uint64_t horizon,
                                        const Request& request, const Stream& stream,
                                        const StreamReader& streams) {
    IteratorToken token;
    switch (request.place) {
      case Place::TrimHorizon:
        token.position = shard.start;
        token.is_at_horizon = true;
        break;
      case Place::Latest: {
        STATOR_TRY(token.position, streams.end_of(shard));
        break;
      }
      case Place::AtSequence:
      case Place::AfterSequence: {
        if (request.position < shard.start && horizon <= shard.start)
          return Error::validation("Invalid SequenceNumber for the shard");
        if (request.position < horizon) return trimmed();
        // A number that is too new means the current end.
        STATOR_TRY(const std::uint64_t end, streams.end_of(shard));
        token.position = std::min(request.position, end);
        break;
      }
      case Place::AtTime: {
        if (request.from_unix_ms > streams.now().unix_ms())
          return invalid_stream_parameter("Timestamp should not be in the future");
        const std::uint64_t first = std::max(shard.start, horizon);
        STATOR_TRY(const std::uint64_t end, streams.end_of(shard));
        STATOR_TRY(token.position, streams.first_since(stream, request.from_unix_ms, first, end));
        token.is_at_horizon = token.position == first;
        break;
      }
    }
    return token;
  }
};

}  // namespace

Operation get_shard_iterator_row() { return define<GetShardIterator>(); }

}  // namespace stator

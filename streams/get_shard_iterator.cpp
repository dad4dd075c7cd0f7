// GetShardIterator: a place in a shard, as a token (conformance/observed/streams.md 7).
#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/operations/define.h"
#include "engine/storage/journal.h"
#include "engine/storage/keys.h"
#include "engine/storage/stream_store.h"
#include "protocol/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/shape.h"
#include "streams/iterator_token.h"
#include "streams/requested_stream.h"
#include "streams/sequence_number.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kGetShardIteratorInput;

enum class Place : std::uint8_t { TrimHorizon, Latest, AtSequence, AfterSequence, AtTime };

Place place_of(std::string_view type) {
  if (type == "TRIM_HORIZON") return Place::TrimHorizon;
  if (type == "LATEST") return Place::Latest;
  if (type == "AT_SEQUENCE_NUMBER") return Place::AtSequence;
  return type == "AFTER_SEQUENCE_NUMBER" ? Place::AfterSequence : Place::AtTime;
}

// Seconds as milliseconds, held to what a Timestamp can be.
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

Error trimmed() {
  return Error(ErrorCode::TrimmedDataAccess,
               "The operation attempted to read past the oldest stream record in a shard.");
}

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
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
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
    STATOR_TRY(const Stream stream, find_requested(request.arn, snapshot, call));
    STATOR_TRY(const auto shard,
               storage::find_shard(snapshot.transaction(), stream.number, request.shard_id));
    STATOR_TRY(const auto horizon, trim_horizon(stream, snapshot));
    STATOR_TRY(const auto secret, storage::stream_secret(snapshot.transaction()));
    if (!shard || !horizon || !secret)
      return Error::resource_not_found("Requested resource not found: Shard does not exist");
    STATOR_TRY(IteratorToken token, place_in(*shard, *horizon, request, stream, snapshot));
    token.stream = stream.number;
    token.shard_id = shard->id;
    token.issued = snapshot.now();
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
  // Behind all that the shard has so far.
  static Result<std::uint64_t> end_of(const Shard& shard, const Snapshot& snapshot) {
    if (shard.end) return *shard.end + 1;
    return storage::next_number(snapshot.transaction(), storage::MetaKey::NextChange);
  }

  // The position alone.
  static Result<IteratorToken> place_in(const Shard& shard, std::uint64_t horizon,
                                        const Request& request, const Stream& stream,
                                        const Snapshot& snapshot) {
    IteratorToken token;
    switch (request.place) {
      case Place::TrimHorizon:
        token.position = shard.start;
        token.is_at_horizon = true;
        break;
      case Place::Latest: {
        STATOR_TRY(token.position, end_of(shard, snapshot));
        break;
      }
      case Place::AtSequence:
      case Place::AfterSequence: {
        if (request.position < shard.start && horizon <= shard.start)
          return Error::validation("Invalid SequenceNumber for the shard");
        if (request.position < horizon) return trimmed();
        // One that is too new means the end, as it is now.
        STATOR_TRY(const std::uint64_t end, end_of(shard, snapshot));
        token.position = std::min(request.position, end);
        break;
      }
      case Place::AtTime: {
        if (request.from_unix_ms > snapshot.now().unix_ms())
          return invalid_stream_parameter("Timestamp should not be in the future");
        const std::uint64_t first = std::max(shard.start, horizon);
        STATOR_TRY(const std::uint64_t end, end_of(shard, snapshot));
        STATOR_TRY(token.position, first_since(request.from_unix_ms, first, end, stream, snapshot));
        token.is_at_horizon = token.position == first;
        break;
      }
    }
    return token;
  }

  // Numbers and times rise together.
  static Result<std::uint64_t> first_since(std::int64_t unix_ms, std::uint64_t first,
                                           std::uint64_t end, const Stream& stream,
                                           const Snapshot& snapshot) {
    while (first < end) {
      const std::uint64_t middle = first + (end - first) / 2;
      STATOR_TRY(const auto met,
                 storage::find_in_journal(snapshot.transaction(), stream.table, middle));
      if (!met || met->number >= end) {
        end = middle;
        continue;
      }
      STATOR_TRY(const auto entry, storage::decode_journal_entry(met->bytes));
      if (entry.written.time.unix_ms() >= unix_ms) {
        end = middle;
      } else {
        first = met->number + 1;
      }
    }
    return first;
  }
};

}  // namespace

Operation get_shard_iterator_row() { return define<GetShardIterator>(); }

}  // namespace stator

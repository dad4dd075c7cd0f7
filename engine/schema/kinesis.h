// Kinesis streaming: the destinations of a table's changes, and the streams that this server hosts
// itself. conformance/observed/kinesis.md has the facts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/schema/space.h"
#include "engine/seams/clock.h"

namespace stator {

enum class KinesisPrecision : std::uint8_t { Millisecond, Microsecond };
std::string_view to_text(KinesisPrecision precision);

// What was decided about a destination. Enabling: not decided yet.
enum class KinesisState : std::uint8_t { Enabling, Active, Disabled, EnableFailed };
std::string_view to_text(KinesisState state);

// A table retains this many destinations, enabled or not: the oldest go first.
inline constexpr std::size_t kKinesisDestinationsMax = 50;

// A stream that gets, or got, the changes of a table's items. At most one of a table is live.
struct KinesisDestination {
  std::string stream_arn;
  KinesisState state = KinesisState::Enabling;
  std::string reason;                         // why enabling failed
  std::optional<KinesisPrecision> precision;  // empty: never set, which means milliseconds
  // Of the consumer of the table's journal (engine/catalog/consumers.h). Zero: it follows nothing.
  std::uint64_t number = 0;
  std::optional<std::uint64_t> end;  // once disabled: the first change that it does not get
  Timestamp changing_until;          // ENABLING, UPDATING or DISABLING until then
  bool is_updating = false;          // the change is one of precision

  bool is_live(Timestamp now) const {
    return state == KinesisState::Enabling || state == KinesisState::Active || now < changing_until;
  }
  // "ENABLING", "ACTIVE", "UPDATING", "DISABLING", "DISABLED" or "ENABLE_FAILED".
  std::string_view status(Timestamp now) const;
};

// How long changes that were not taken, and records of streams, are retained.
inline constexpr std::chrono::hours kKinesisRetention{24};

// A stream of Kinesis that this server hosts. Its records are records of its space
// (engine/storage/descriptions/kinesis_streams.h).
struct KinesisStream {
  std::string scope;  // which requests can use it (Isolation)
  std::string name;
  std::string region;
  std::string account_id;
  storage::SpaceId space{};
  Timestamp created;
  std::int64_t shard_count = 1;
  bool is_on_demand = false;
  std::uint64_t next_record = 1;  // the number of its next record, over all shards
  Timestamp creating_until;
  std::optional<Timestamp> deleting_until;
  std::vector<std::pair<std::string, std::string>> tags;

  bool is_gone(Timestamp now) const { return deleting_until && now >= *deleting_until; }
  // "CREATING", "ACTIVE" or "DELETING".
  std::string_view status(Timestamp now) const;
  std::string arn() const;
};

// arn:aws:kinesis:REGION:ACCOUNT:stream/NAME
std::string kinesis_stream_arn(std::string_view region, std::string_view account_id,
                               std::string_view name);

// The parts of an ARN; views into the text.
struct KinesisArn {
  std::string_view service;  // "kinesis", or "firehose"
  std::string_view region;
  std::string_view account_id;
  std::string_view stream;  // empty if the ARN names something else than a stream
};
// Empty if the text is no ARN.
std::optional<KinesisArn> parse_kinesis_arn(std::string_view text);

}  // namespace stator

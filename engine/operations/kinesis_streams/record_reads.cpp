// GetShardIterator and GetRecords.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>

#include "engine/kinesis/shards.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/define.h"
#include "engine/operations/kinesis_streams/iterators.h"
#include "engine/operations/kinesis_streams/requested_streams.h"
#include "engine/operations/kinesis_streams/stream_shapes.h"
#include "engine/storage/descriptions/kinesis_streams.h"
#include "engine/storage/stores/item_store.h"
#include "engine/storage/stores/stream_store.h"
#include "protocol/text/base64.h"

namespace stator::kinesis {
namespace {

constexpr std::size_t kResponseBytesMax = std::size_t{10} << 20;  // of data

// Walks the records of a shard that are not too old, from a number on.
class ShardWalk {
 public:
  ShardWalk(const Snapshot& snapshot, const KinesisStream& stream, std::uint32_t shard)
      : snapshot_(snapshot),
        cursor_(snapshot.transaction(), stream.space),
        shard_(storage::kinesis_shard_bytes(shard)) {}

  Result<void> seek(std::uint64_t number, Call& call) {
    first_ = storage::kinesis_number_bytes(number);
    STATOR_CHECK(cursor_.seek_range(shard_, {.lower = first_}, storage::Direction::Forward));
    STATOR_CHECK(read());
    while (record_ && record_->arrived.plus(kKinesisRetention) <= snapshot_.now())
      STATOR_CHECK(next(call));
    return {};
  }
  Result<void> next(Call& call) {
    STATOR_CHECK(call.work.go_on(record_->data.size()));
    STATOR_CHECK(cursor_.next());
    return read();
  }
  // Empty at the end.
  const std::optional<storage::KinesisRecordBytes>& record() const { return record_; }

 private:
  Result<void> read() {
    record_.reset();
    const auto bytes = cursor_.record();
    if (!bytes) return {};
    STATOR_TRY(record_, storage::decode_kinesis_record(*bytes));
    return {};
  }

  const Snapshot& snapshot_;
  storage::RecordCursor cursor_;
  const std::string shard_;
  std::string first_;
  std::optional<storage::KinesisRecordBytes> record_;
};

// "Thu Jan 22 01:22:02 UTC 2015"
std::string utc_text(Timestamp time) {
  const std::time_t seconds = time.unix_s();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a %b %d %H:%M:%S UTC %Y", &utc);
  return text.data();
}

Error expired_iterator(Timestamp issued, Timestamp now) {
  std::string text = "Iterator expired. The iterator was created at time ";
  text.append(utc_text(issued)).append(" while right now it is ").append(utc_text(now));
  text.append(" which is further in the future than the tolerated delay of 300000 milliseconds.");
  return Error(ErrorCode::ExpiredIterator, std::move(text));
}

// Seconds with a fraction, clamped to a century of centuries.
std::int64_t micros_of(const JsonNode& seconds) {
  constexpr double kSecondsMax = 3e11;
  const std::string_view text = seconds.text();
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::llround(std::clamp(value, 0.0, kSecondsMax) * 1e6);
}

Error no_sequence_number(std::string_view type) {
  std::string text =
      "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and "
      "StartingSequenceNumber or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber. "
      "Request specified ";
  return invalid_argument(text.append(type).append(" and no StartingSequenceNumber."));
}

struct GetShardIterator : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "GetShardIterator";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view name;
    std::string_view shard_id;
    std::string_view type;
    std::optional<KinesisSequence> sequence;
    Timestamp from;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kGetIterator, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    Request request{
        stream, *string_member(body, "ShardId"), *string_member(body, "ShardIteratorType"), {}, {}};
    const auto sequence = string_member(body, "StartingSequenceNumber");
    const bool by_sequence = request.type.ends_with("SEQUENCE_NUMBER");
    if (by_sequence && !sequence) return no_sequence_number(request.type);
    if (by_sequence) {
      request.sequence = read_kinesis_sequence(*sequence);
      if (!request.sequence)
        return invalid_argument("StartingSequenceNumber " + std::string(*sequence) +
                                " is not a sequence number of this stream.");
    }
    const JsonNode* const time = body.find("Timestamp");
    if (request.type == "AT_TIMESTAMP" && time == nullptr)
      return invalid_argument("Must specify timestamp parameter for iterator type AT_TIMESTAMP.");
    if (time != nullptr) request.from = {micros_of(*time)};
    return call.arena.make<Request>(request);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto stream, find_filled_stream(request.name, snapshot, call));
    const auto shard = kinesis_shard_of_id(request.shard_id);
    if (!shard || std::int64_t{*shard} >= stream.shard_count) {
      std::string text = "Shard ";
      text.append(request.shard_id).append(" in stream ").append(stream.name);
      text.append(" under account ").append(stream.account_id).append(" does not exist");
      return Error::resource_not_found(std::move(text));
    }
    if (request.sequence && request.sequence->shard != *shard) {
      std::string text = "Invalid StartingSequenceNumber. It encodes ";
      text.append(kinesis_shard_id(request.sequence->shard));
      text.append(", while it was used in a call to a shard with ").append(request.shard_id);
      return invalid_argument(std::move(text));
    }
    STATOR_TRY(const std::uint64_t position, place(request, stream, *shard, snapshot, call));
    STATOR_TRY(const auto secret, storage::stream_secret(snapshot.transaction()));
    if (!secret) return stream_not_found(request.name, call);
    JsonWriter out(call.reply);
    out.begin_object();
    out.member("ShardIterator",
               std::string_view(write_iterator(
                   {stream.name, stream.space, *shard, position, snapshot.now()}, *secret)));
    out.end_object();
    return {};
  }

 private:
  static Result<std::uint64_t> place(const Request& request, const KinesisStream& stream,
                                     std::uint32_t shard, const Snapshot& snapshot, Call& call) {
    if (request.type == "LATEST") return stream.next_record;
    if (request.type == "AT_SEQUENCE_NUMBER") return request.sequence->number;
    if (request.type == "AFTER_SEQUENCE_NUMBER") return request.sequence->number + 1;
    if (request.type == "TRIM_HORIZON") return std::uint64_t{0};
    ShardWalk walk(snapshot, stream, shard);
    STATOR_CHECK(walk.seek(0, call));
    while (walk.record() && walk.record()->arrived < request.from) STATOR_CHECK(walk.next(call));
    return walk.record() ? walk.record()->number : stream.next_record;
  }
};

struct GetRecords : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "GetRecords";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view iterator;
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kGetRecords, call));
    return call.arena.make<Request>(*string_member(body, "ShardIterator"),
                                    integer_member(body, "Limit").value_or(kRecordsInPageMax));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto secret, storage::stream_secret(snapshot.transaction()));
    auto iterator = secret ? read_iterator(request.iterator, *secret, call.arena) : std::nullopt;
    if (!iterator) return invalid_argument("Invalid ShardIterator.");
    if (snapshot.now() > iterator->issued.plus(kIteratorLife))
      return expired_iterator(iterator->issued, snapshot.now());
    STATOR_TRY(const auto stream, find_filled_stream(iterator->stream, snapshot, call));
    if (stream.space != iterator->space) return stream_not_found(iterator->stream, call);
    ShardWalk walk(snapshot, stream, iterator->shard);
    STATOR_CHECK(walk.seek(iterator->position, call));
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Records");
    out.begin_array();
    STATOR_CHECK(write_page(out, stream, *iterator, walk, request.limit, call));
    out.end_array();
    iterator->issued = snapshot.now();
    out.member("NextShardIterator", std::string_view(write_iterator(*iterator, *secret)));
    out.member("MillisBehindLatest",
               walk.record() ? snapshot.now().unix_ms() - walk.record()->arrived.unix_ms()
                             : std::int64_t{0});
    out.end_object();
    return {};
  }

 private:
  // Moves the iterator after the records that it writes.
  static Result<void> write_page(JsonWriter& out, const KinesisStream& stream, Iterator& iterator,
                                 ShardWalk& walk, std::int64_t limit, Call& call) {
    std::size_t bytes = 0;
    for (; walk.record() && limit > 0; --limit) {
      const storage::KinesisRecordBytes& record = *walk.record();
      if (bytes > 0 && bytes + record.data.size() > kResponseBytesMax) return {};
      bytes += record.data.size();
      out.begin_object();
      out.member("SequenceNumber",
                 std::string_view(kinesis_sequence_text(
                     {stream.created, iterator.shard, record.number, record.arrived})));
      out.key("ApproximateArrivalTimestamp");
      out.timestamp_ms(record.arrived.unix_ms());
      out.key("Data");
      out.before_value();
      call.reply.push_back('"');
      append_base64(call.reply, record.data);
      call.reply.push_back('"');
      out.member("PartitionKey", record.partition_key);
      out.end_object();
      call.charge_response();
      iterator.position = record.number + 1;
      STATOR_CHECK(walk.next(call));
    }
    return {};
  }
};

}  // namespace
}  // namespace stator::kinesis

namespace stator {

Operation kinesis_get_records_row() { return define<kinesis::GetRecords>(); }
Operation kinesis_get_shard_iterator_row() { return define<kinesis::GetShardIterator>(); }

}  // namespace stator

// PutRecord and PutRecords.

#include <optional>
#include <span>
#include <utility>

#include "engine/kinesis/hosted_records.h"
#include "engine/operations/define.h"
#include "engine/operations/kinesis_streams/requested_streams.h"
#include "engine/operations/kinesis_streams/stream_shapes.h"
#include "engine/state/mutation.h"
#include "protocol/service/common_errors.h"
#include "protocol/text/base64.h"

namespace stator::kinesis {
namespace {

// Of all records of a request, keys included.
constexpr std::size_t kRequestBytesMax = std::size_t{10} << 20;

// An entry of the request, decoded. REQUIRES: types and constraints were checked.
Result<NewKinesisRecord> read_entry(const JsonNode& entry, Arena& arena) {
  NewKinesisRecord record;
  record.partition_key = *string_member(entry, "PartitionKey");
  const std::string_view data = *string_member(entry, "Data");
  if (check_base64(data) != Base64Error::None) return Error::serialization();
  record.data = decode_base64(data, arena);
  if (record.data.size() > static_cast<std::size_t>(kRecordBytesMax)) {
    return constraint_error(
        "data", "Member must have length less than or equal to " + std::to_string(kRecordBytesMax));
  }
  if (const auto text = string_member(entry, "ExplicitHashKey")) {
    record.explicit_hash = read_kinesis_hash(*text);
    if (!record.explicit_hash) {
      return invalid_argument(
          "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. "
          "Specified value was " +
          std::string(*text));
    }
  }
  return record;
}

void write_place(JsonWriter& out, const PutKinesisRecord& put) {
  out.begin_object();
  out.member("SequenceNumber", std::string_view(put.sequence_number));
  out.member("ShardId", std::string_view(kinesis_shard_id(put.shard)));
  out.end_object();
}

struct Puts {
  std::string_view name;
  std::span<const NewKinesisRecord> records;
};

struct PutRecord : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "PutRecord";
  static constexpr Layer layer = Layer::Classic;
  using Request = Puts;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kPutRecord, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    const auto records = call.arena.allocate_array<NewKinesisRecord>(1);
    STATOR_TRY(records[0], read_entry(body, call.arena));
    return call.arena.make<Request>(stream, records);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(auto stream, find_filled_stream(request.name, snapshot, call));
    JsonWriter out(call.reply);
    write_place(out, put_hosted_record(stream, request.records.front(), snapshot.now(), mutation,
                                       call.arena));
    mutation.put_kinesis_stream(std::move(stream));
    return {};
  }
};

// A hosted stream takes all records of a request or, if it is not there, none.
struct PutRecords : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "PutRecords";
  static constexpr Layer layer = Layer::Classic;
  using Request = Puts;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kPutRecords, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    const auto entries = list_member(body, "Records");
    const auto records = call.arena.allocate_array<NewKinesisRecord>(entries.size());
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      STATOR_TRY(records[i], read_entry(entries[i], call.arena));
      bytes += records[i].data.size() + records[i].partition_key.size();
    }
    if (bytes > kRequestBytesMax) return invalid_argument("Records size exceeds 10 MB limit");
    return call.arena.make<Request>(stream, records);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(auto stream, find_filled_stream(request.name, snapshot, call));
    JsonWriter out(call.reply);
    out.begin_object();
    out.member("FailedRecordCount", std::int64_t{0});
    out.key("Records");
    out.begin_array();
    for (const NewKinesisRecord& record : request.records)
      write_place(out, put_hosted_record(stream, record, snapshot.now(), mutation, call.arena));
    out.end_array();
    out.end_object();
    mutation.put_kinesis_stream(std::move(stream));
    return {};
  }
};

}  // namespace
}  // namespace stator::kinesis

namespace stator {

Operation kinesis_put_record_row() { return define<kinesis::PutRecord>(); }
Operation kinesis_put_records_row() { return define<kinesis::PutRecords>(); }

}  // namespace stator

// GetRecords: a page of a shard and the iterator after it (conformance/observed/streams.md 8).
#include <algorithm>

#include "engine/api/stream_reader.h"
#include "engine/call/scope.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/define.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/service/error_texts.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"
#include "streams/iterator_token.h"
#include "streams/requested_stream.h"
#include "streams/stream_record.h"

namespace stator {
namespace {

constexpr std::int64_t kRecordsMax = 1000;
// The response of a full page is usually smaller.
constexpr std::size_t kWholePageBytes = 2 * limits::kPageBytesMax;
// Records of other shards that one page skips. The page then ends, and the iterator continues
// there.
constexpr std::size_t kPassedMax = 10'000;

// Writes one page: from a position until it is full or no record is left.
class Page {
 public:
  Page(const Stream& stream, const Shard& shard, const Snapshot& snapshot, Call& call)
      : stream_(stream), shard_(shard), snapshot_(snapshot), call_(call), out_(call.reply) {}

  // Writes the records. Returns the position after them; empty if the shard will have no more.
  Result<std::optional<std::uint64_t>> write(std::uint64_t position, std::int64_t count_max) {
    ShardCursor cursor(snapshot_, stream_, shard_);
    STATOR_CHECK(cursor.seek(position));
    for (std::size_t passed = 0; passed < kPassedMax;) {
      if (cursor.is_at_end()) return end_position();
      STATOR_CHECK(call_.work.go_on(cursor.stored_bytes()));
      const std::size_t written = call_.reply.size();
      STATOR_TRY(const StreamChange* const change, cursor.change());
      if (change == nullptr) {
        ++passed;
      } else if (count_ == count_max || !fits({stream_, *change})) {
        return std::optional(change->number);
      }
      STATOR_CHECK(call_.work.go_on(call_.reply.size() - written));
      position = cursor.number() + 1;
      STATOR_CHECK(cursor.next());
    }
    return std::optional(position);
  }

 private:
  // REQUIRES: no record is left before the shard's end.
  Result<std::optional<std::uint64_t>> end_position() const {
    if (shard_.end) return std::optional<std::uint64_t>();
    STATOR_TRY(const std::uint64_t next, StreamReader(snapshot_).end_of(shard_));
    return std::optional(next);
  }

  // Writes the record unless it would make the page too large; the first one always fits.
  bool fits(const StreamRecord& record) {
    if (count_ > 0 && size_bytes_ + record.size_bytes() > limits::kPageBytesMax) return false;
    ++count_;
    size_bytes_ += record.size_bytes();
    make_room_for_page(call_.reply, kWholePageBytes);
    out_.before_value();
    record.append_json(call_.reply);
    call_.charge_response();
    return true;
  }

  const Stream& stream_;
  const Shard& shard_;
  const Snapshot& snapshot_;
  Call& call_;
  JsonWriter out_;
  std::int64_t count_ = 0;
  std::size_t size_bytes_ = 0;
};

struct GetRecords {
  static constexpr std::string_view name = "GetRecords";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view iterator;
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kGetRecordsInput));
    STATOR_CHECK(check_constraints(body, model::kGetRecordsInput, call.wording));
    const std::int64_t limit = integer_member(body, "Limit").value_or(kRecordsMax);
    if (limit > kRecordsMax)
      return invalid_stream_parameter("Limit should be less than or equal to 1000");
    const auto iterator = string_member(body, "ShardIterator");
    if (!iterator) return invalid_iterator();
    const std::string_view arn = iterator->substr(0, iterator->find('|'));
    call.table_name = table_name_of(arn);
    return call.arena.make<Request>(*iterator, limit);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const StreamReader streams(snapshot);
    STATOR_TRY(const auto secret, streams.secret());
    const auto token = secret ? read_token(request.iterator, *secret) : std::nullopt;
    if (!token) return invalid_iterator();
    if (streams.now() > token->issued.plus(kIteratorLife)) {
      return Error(ErrorCode::ExpiredIterator, std::string(kExpiredIteratorText));
    }
    const std::string_view arn = request.iterator.substr(0, request.iterator.find('|'));
    STATOR_TRY(const auto stream, streams.find(token->stream));
    if (stream && stream->scope != scope_of(call, call.arena)) return invalid_iterator();
    if (!stream) return stream_not_found(arn);
    STATOR_TRY(const auto shard, streams.find_shard(token->stream, token->shard_id));
    STATOR_TRY(const auto horizon, streams.trim_horizon(*stream));
    if (!shard || !horizon) return Error::resource_not_found("Invalid ShardId in ShardIterator");
    if (token->position < *horizon && !token->is_at_horizon) {
      return Error(ErrorCode::TrimmedDataAccess, std::string(kTrimmedDataText));
    }
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Records");
    out.begin_array();
    STATOR_TRY(const auto next, Page(*stream, *shard, snapshot, call)
                                    .write(std::max(token->position, *horizon), request.limit));
    out.end_array();
    if (next) {
      const IteratorToken behind{token->stream, token->shard_id, *next, false, streams.now()};
      out.member("NextShardIterator", std::string_view(write_token(behind, arn, *secret)));
    }
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.iterator.substr(0, request.iterator.find('|'))});
  }

 private:
  static Error invalid_iterator() { return Error::validation("Invalid ShardIterator"); }
};

}  // namespace

Operation get_records_row() { return define<GetRecords>(); }

}  // namespace stator

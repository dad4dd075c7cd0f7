// GetRecords: a page of a shard, and the iterator behind it (conformance/observed/streams.md 8).
#include "engine/operations/answer_members.h"
#include "engine/operations/define.h"
#include "engine/storage/item_store.h"
#include "engine/storage/journal.h"
#include "engine/storage/keys.h"
#include "engine/storage/stream_store.h"
#include "protocol/json_writer.h"
#include "protocol/limits.h"
#include "protocol/model/shapes.h"
#include "protocol/shape.h"
#include "streams/iterator_token.h"
#include "streams/requested_stream.h"
#include "streams/stream_record.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kGetRecordsInput;
constexpr std::int64_t kRecordsMax = 1000;
// What the answer of a whole page usually stays below.
constexpr std::size_t kWholePageBytes = 2 * limits::kPageBytesMax;
// Of other shards; behind them the page ends, and the iterator goes on from there.
constexpr std::size_t kPassedMax = 10'000;

// One page, from a position up to where it is full or nothing is left.
class Page {
 public:
  Page(const Stream& stream, const Shard& shard, const Snapshot& snapshot, Call& call)
      : stream_(stream), shard_(shard), snapshot_(snapshot), call_(call), out_(call.reply) {}

  // Writes the records. Returns the position behind them; empty: there will be none any more.
  Result<std::optional<std::uint64_t>> write(std::uint64_t position, std::int64_t count_max) {
    const bool has_all = shard_.hash_begin == 0 && shard_.hash_end == kPartitionHashes;
    storage::JournalCursor cursor(snapshot_.transaction(), stream_.table);
    STATOR_CHECK(cursor.seek(position));
    for (std::size_t passed = 0; passed < kPassedMax;) {
      const auto& met = cursor.entry();
      if (!met || (shard_.end && met->number > *shard_.end)) return end_position();
      STATOR_CHECK(call_.work.go_on(met->bytes.size()));
      STATOR_TRY(const auto& entry, storage::decode_journal_entry(met->bytes));
      if (!has_all && !shard_.has(storage::partition_hash(entry.partition))) {
        ++passed;
      } else if (count_ == count_max || !fits({stream_, met->number, entry})) {
        return std::optional(met->number);
      }
      position = met->number + 1;
      STATOR_CHECK(cursor.next());
    }
    return std::optional(position);
  }

 private:
  // Nothing was found in front of it.
  Result<std::optional<std::uint64_t>> end_position() const {
    if (shard_.end) return std::optional<std::uint64_t>();
    STATOR_TRY(const std::uint64_t next,
               storage::next_number(snapshot_.transaction(), storage::MetaKey::NextChange));
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
    call_.charge_reply();
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
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
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
    const storage::Transaction& transaction = snapshot.transaction();
    STATOR_TRY(const auto secret, storage::stream_secret(transaction));
    const auto token = secret ? read_token(request.iterator, *secret) : std::nullopt;
    if (!token) return invalid_iterator();
    if (snapshot.now() > token->issued.plus(kIteratorLife)) {
      return Error(ErrorCode::ExpiredIterator,
                   "The shard iterator has expired and can no longer be used to retrieve stream "
                   "records.");
    }
    const std::string_view arn = request.iterator.substr(0, request.iterator.find('|'));
    STATOR_TRY(const auto stream, storage::find_stream(transaction, token->stream));
    if (stream && stream->scope != scope_of(call, call.arena)) return invalid_iterator();
    if (!stream) return stream_not_found(arn);
    STATOR_TRY(const auto shard, storage::find_shard(transaction, token->stream, token->shard_id));
    STATOR_TRY(const auto horizon, trim_horizon(*stream, snapshot));
    if (!shard || !horizon) return Error::resource_not_found("Invalid ShardId in ShardIterator");
    if (token->position < *horizon && !token->is_at_horizon) {
      return Error(ErrorCode::TrimmedDataAccess,
                   "The operation attempted to read past the oldest stream record in a shard.");
    }
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Records");
    out.begin_array();
    STATOR_TRY(const auto next, Page(*stream, *shard, snapshot, call)
                                    .write(std::max(token->position, *horizon), request.limit));
    out.end_array();
    if (next) {
      const IteratorToken behind{token->stream, token->shard_id, *next, false, snapshot.now()};
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

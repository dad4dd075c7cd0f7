// Delivers changes of tables to their Kinesis destinations that this server hosts, and gives up
// changes that were not taken for kKinesisRetention. Bound to the table. With another server of
// Kinesis (Settings::has_kinesis_server) it delivers nothing: that is the server's part
// (engine/outbox/kinesis_queue.h).
#include <algorithm>

#include "engine/catalog/consumers.h"
#include "engine/kinesis/change_record.h"
#include "engine/kinesis/destination_decision.h"
#include "engine/kinesis/hosted_records.h"
#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/storage/descriptions/kinesis_streams.h"
#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

// How often entries that wait are looked at; entries fall due all the time.
constexpr std::chrono::minutes kLookInterval{15};

class KinesisDelivery final : public ChoreKind {
 public:
  explicit KinesisDelivery(bool is_hosted) : is_hosted_(is_hosted) {}

  Result<void> find_all(const storage::Transaction& /*transaction*/, const Catalog& catalog,
                        const Schedule& enter) override {
    enter_all(catalog, enter);
    return {};
  }

  // A new stream may be what a destination waits for.
  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Schedule& enter) override {
    if (batch.has_new_kinesis_stream) enter_all(catalog, enter);
    if (!batch.has_kinesis_work) return;
    for (const auto& [space, time] : batch.journaled) {
      // Another server gets its changes from another thread: here they only grow old.
      const Timestamp due = is_hosted_ ? kAtOnce : time.plus(kKinesisRetention + kLookInterval);
      enter_table(catalog.find(space), due, enter);
    }
    for (const storage::SpaceId space : batch.changed_tables)
      enter_table(catalog.find(space), kAtOnce, enter);
  }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const Table* found = piece.catalog().find(subject.space);
    std::optional<Timestamp> due;
    if (found == nullptr) return due;
    const Table table = *found;  // each destination's part may replace it
    for (const KinesisDestination& one : table.kinesis) {
      if (one.number == 0) continue;
      if (is_hosted_ && one.state == KinesisState::Enabling) {
        STATOR_CHECK(decide(table, one, piece));
        return std::optional(piece.now);
      }
      STATOR_TRY(const auto next, run_for(table, one, piece));
      if (next && (!due || *next < *due)) due = next;
    }
    return due;
  }

 private:
  static void enter_table(const Table* table, Timestamp due, const Schedule& enter) {
    if (table == nullptr || table->space == storage::SpaceId{}) return;
    const bool follows = std::any_of(table->kinesis.begin(), table->kinesis.end(),
                                     [](const KinesisDestination& one) { return one.number != 0; });
    if (follows) enter({table->space, table->runtime}, due);
  }
  static void enter_all(const Catalog& catalog, const Schedule& enter) {
    catalog.for_each([&](const Table& table) { enter_table(&table, kAtOnce, enter); });
  }

  // Returns when there is more to do.
  Result<std::optional<Timestamp>> run_for(const Table& table, const KinesisDestination& one,
                                           ChorePiece& piece) {
    const std::string consumer = kinesis_consumer(one.number);
    STATOR_TRY(const auto begun,
               storage::consumer_position(piece.transaction, table.space, consumer));
    if (!begun) return std::optional<Timestamp>();
    STATOR_TRY(auto stream, open_stream(table, one, piece));
    if (stream && piece.now < stream->creating_until) return std::optional(stream->creating_until);
    std::uint64_t position = *begun;
    std::optional<Timestamp> due;
    std::size_t bytes = 0;
    for (std::size_t count = 0;; ++count) {
      STATOR_TRY(const auto next,
                 storage::find_in_journal(piece.transaction, table.space, position));
      if (!next || (one.end && next->number >= *one.end)) break;
      STATOR_TRY(const auto entry, storage::decode_journal_entry(next->bytes));
      const bool is_old = entry.written.time.plus(kKinesisRetention) <= piece.now;
      if (!is_old && !stream) due = entry.written.time.plus(kKinesisRetention + kLookInterval);
      if (count >= piece.limits.records_max || bytes >= piece.limits.bytes_max) due = piece.now;
      if (due) break;
      bytes += next->bytes.size();
      position = next->number + 1;
      if (is_old) continue;
      STATOR_TRY(const auto record, kinesis_change_record(table, one, *next));
      put_hosted_record(*stream, {record.partition_key, {}, record.data}, piece.now, piece.mutation,
                        piece.arena);
    }
    if (position != *begun) {
      STATOR_CHECK(storage::put_consumer(piece.transaction, {table.space, consumer, position}));
      STATOR_CHECK(trim(table, piece));
      if (stream) piece.mutation.put_kinesis_stream(*std::move(stream));
    }
    if (!due && one.end) end_destination(table, one, piece);
    STATOR_CHECK(piece.apply());
    piece.mutation.clear();
    return due;
  }

  static Result<void> trim(const Table& table, ChorePiece& piece) {
    STATOR_CHECK(storage::trim_journal(piece.transaction, table.space, 2 * piece.limits.records_max)
                     .map([](bool) {}));
    return {};
  }

  // The stream that takes the records, now or once it is created; empty if there is none.
  Result<std::optional<KinesisStream>> open_stream(const Table& table,
                                                   const KinesisDestination& one,
                                                   const ChorePiece& piece) const {
    const auto arn = parse_kinesis_arn(one.stream_arn);
    const bool can_take = is_hosted_ && arn && one.state != KinesisState::Enabling;
    if (!can_take) return std::optional<KinesisStream>();
    STATOR_TRY(auto stream,
               storage::find_kinesis_stream(piece.transaction, table.scope, arn->stream));
    if (stream && stream->deleting_until) stream.reset();
    return stream;
  }

  // A destination that another process, with another server of Kinesis, has left undecided.
  static Result<void> decide(const Table& table, const KinesisDestination& one, ChorePiece& piece) {
    STATOR_TRY(const std::string reason,
               kinesis_refusal(table, one.stream_arn, piece.transaction, piece.now));
    Table next = table;
    decide_kinesis(next, one.number, reason);
    piece.mutation.put_table(std::move(next));
    STATOR_CHECK(piece.apply());
    piece.mutation.clear();
    return {};
  }

  // The destination has all changes until its end, and stops following the table.
  static void end_destination(const Table& table, const KinesisDestination& one,
                              ChorePiece& piece) {
    const Table* const now = piece.catalog().find(table.space);
    Table next = now != nullptr ? *now : table;
    for (KinesisDestination& of : next.kinesis) {
      if (of.number != one.number) continue;
      of.number = 0;
      of.end.reset();
    }
    piece.mutation.put_table(std::move(next));
  }

  const bool is_hosted_;
};

}  // namespace

std::unique_ptr<ChoreKind> make_kinesis_delivery(bool is_hosted) {
  return std::make_unique<KinesisDelivery>(is_hosted);
}

}  // namespace stator

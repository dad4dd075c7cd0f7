// Maintains the streams of a table: replaces shards that are old, or whose partition was split, by
// new ones, and erases records and shards that are too old. Bound to the table, which may be
// deleted.
//
// In a long move of time, shards of a stream without records change only in the last part of the
// move, the part that is visible after it: anything earlier would be trimmed by then.
#include <algorithm>
#include <utility>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/state/stream_life.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"

namespace stator {
namespace {

// A deleted table has no runtime. A chore scheduled twice finds nothing to do.
ChoreSubject subject_of(storage::SpaceId space, const Catalog& catalog) {
  const Table* table = catalog.find(space);
  return {space, table == nullptr ? std::make_shared<TableRuntime>() : table->runtime};
}

class StreamUpkeep final : public ChoreKind {
 public:
  explicit StreamUpkeep(const StreamLimits& limits)
      : retention_(limits.retention), rollover_after_(limits.rollover_after) {}

  // A piece erases much more than it adds.
  bool only_frees_space() const override { return true; }

  // A first piece finds out what each stream needs.
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog,
                        const Schedule& enter) override {
    STATOR_TRY(const auto consumers, storage::all_consumers(transaction));
    for (const storage::Consumer& consumer : consumers) {
      if (stream_of(consumer.name)) enter(subject_of(consumer.table, catalog), kAtOnce);
    }
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Schedule& enter) override {
    for (const auto& [table, due] : batch.streams) enter(subject_of(table, catalog), due);
    for (const auto& [space, time] : batch.journaled) {
      const Table* table = catalog.find(space);
      if (table != nullptr && table->has_enabled_stream())
        enter({space, table->runtime}, idle_until_ ? kAtOnce : time.plus(retention_));
    }
  }

  Result<void> on_clock_move(std::chrono::microseconds length, const ChorePiece& with,
                             const Schedule& enter) override {
    const bool was_idle = std::exchange(idle_until_, std::nullopt).has_value();
    const auto skipped = length - retention_ - rollover_after_;
    if (skipped.count() > 0) idle_until_ = with.now.plus(skipped);
    // What the move has deferred.
    return was_idle ? find_all(with.transaction, with.catalog(), enter) : Result<void>();
  }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const StreamContext moment{piece.batch, piece.transaction, piece.now};
    STATOR_TRY(const auto consumers, storage::consumers_of(piece.transaction, subject.space));
    const Table* table = piece.catalog().find(subject.space);
    const auto splits = table == nullptr ? std::vector<std::uint32_t>() : split_hashes(*table);
    std::optional<Timestamp> next;
    const auto keep_earlier = [&](const std::optional<Timestamp>& due) {
      if (due) next = next ? std::min(*next, *due) : *due;
    };
    for (const storage::Consumer& consumer : consumers) {
      const auto number = stream_of(consumer.name);
      if (!number) continue;
      STATOR_TRY(auto stream, storage::find_stream(piece.transaction, *number));
      if (!stream) continue;
      if (!stream->closed) {
        STATOR_TRY(auto rolls_over, idle_rollover(*stream, consumer, piece));
        if (!rolls_over) {
          STATOR_TRY(rolls_over, roll_over(*stream, splits, moment));
        }
        keep_earlier(rolls_over);
      }
      STATOR_TRY(const auto trims, trim_stream(*stream, piece.limits.records_max, moment));
      keep_earlier(trims);
    }
    return next;
  }

 private:
  // In a long move, for a stream without records: when its shards roll over first, after the
  // skipped part. Empty if they may roll over now.
  Result<std::optional<Timestamp>> idle_rollover(const Stream& stream,
                                                 const storage::Consumer& consumer,
                                                 const ChorePiece& piece) const {
    const std::int64_t after_us = rollover_after_.count();
    if (!idle_until_ || piece.now >= *idle_until_ || after_us == 0 || stream.open_shards.empty())
      return std::optional<Timestamp>();
    STATOR_TRY(const auto record,
               storage::find_in_journal(piece.transaction, consumer.table, consumer.position));
    if (record) return std::optional<Timestamp>();
    STATOR_TRY(const auto shard,
               storage::find_shard(piece.transaction, stream.number, stream.open_shards.front()));
    if (!shard) return std::optional<Timestamp>();
    const std::int64_t skipped_us = idle_until_->unix_us - shard->opened.unix_us;
    const std::int64_t times = std::max<std::int64_t>(1, (skipped_us + after_us - 1) / after_us);
    return std::optional(shard->opened.plus(rollover_after_ * times));
  }

  const std::chrono::microseconds retention_;
  const std::chrono::microseconds rollover_after_;  // zero: never
  // Belongs to the leader: the end of the skipped part of a long move of time.
  std::optional<Timestamp> idle_until_;
};

}  // namespace

std::unique_ptr<ChoreKind> make_stream_upkeep(const StreamLimits& limits) {
  return std::make_unique<StreamUpkeep>(limits);
}

}  // namespace stator

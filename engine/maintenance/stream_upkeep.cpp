// Looks after the streams of a table when something of them is due: shards that are to be followed
// by others, because of their age or since a partition was split, records and shards that are too
// old. Bound to the table, which may be gone.
#include <algorithm>

#include "engine/maintenance/chore_kinds.h"
#include "engine/state/stream_life.h"
#include "engine/storage/journal.h"
#include "engine/storage/stream_store.h"

namespace stator {
namespace {

constexpr Timestamp kAtOnce{};

// A table that is gone has no runtime. One that is entered twice finds nothing to do.
ChoreSubject subject_of(storage::SpaceId space, const Catalog& catalog) {
  const Table* table = catalog.find(space);
  return {space, table == nullptr ? std::make_shared<Runtime>() : table->runtime};
}

class StreamUpkeep final : public ChoreKind {
 public:
  explicit StreamUpkeep(std::chrono::microseconds retention) : retention_(retention) {}

  // What it adds is little, what it takes away is much.
  bool only_shrinks() const override { return true; }

  // What each has to do is found out by a first piece.
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog,
                        const Enter& enter) override {
    STATOR_TRY(const auto consumers, storage::all_consumers(transaction));
    for (const storage::Consumer& consumer : consumers) {
      if (stream_of(consumer.name)) enter(subject_of(consumer.table, catalog), kAtOnce);
    }
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Enter& enter) override {
    for (const auto& [table, due] : batch.streams) enter(subject_of(table, catalog), due);
    for (const auto& [space, time] : batch.journaled) {
      const Table* table = catalog.find(space);
      if (table != nullptr && table->has_enabled_stream())
        enter({space, table->runtime}, time.plus(retention_));
    }
  }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const StreamMoment moment{piece.batch, piece.transaction, piece.now};
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
        STATOR_TRY(const auto rolls_over, roll_over(*stream, splits, moment));
        keep_earlier(rolls_over);
      }
      STATOR_TRY(const auto trims, trim_stream(*stream, piece.limits.records_max, moment));
      keep_earlier(trims);
    }
    return next;
  }

 private:
  const std::chrono::microseconds retention_;
};

}  // namespace

std::unique_ptr<ChoreKind> make_stream_upkeep(std::chrono::microseconds retention) {
  return std::make_unique<StreamUpkeep>(retention);
}

}  // namespace stator

// Erases records of hosted streams of Kinesis that are older than kKinesisRetention, and streams
// whose time in DELETING is over. One chore for all streams.
#include <algorithm>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/storage/descriptions/kinesis_streams.h"
#include "engine/storage/stores/item_store.h"

namespace stator {
namespace {

// Records fall due all the time; reads leave out those that are too old.
constexpr std::chrono::minutes kEraseInterval{15};

class KinesisRetention final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Schedule& enter) override {
    STATOR_TRY(const auto streams, storage::all_kinesis_streams(transaction));
    if (!streams.empty()) enter(subject_, kAtOnce);
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Schedule& enter) override {
    if (batch.has_changed_kinesis_stream) enter(subject_, kAtOnce);
    if (batch.kinesis_records) enter(subject_, due_of(*batch.kinesis_records));
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& /*subject*/,
                                             ChorePiece& piece) override {
    STATOR_TRY(auto streams, storage::all_kinesis_streams(piece.transaction));
    std::optional<Timestamp> due;
    const auto note = [&due](Timestamp time) {
      if (!due || time < *due) due = time;
    };
    std::size_t left = piece.limits.records_max;
    for (KinesisStream& stream : streams) {
      if (stream.is_gone(piece.now)) {
        piece.mutation.erase_kinesis_stream(std::move(stream));
        continue;
      }
      if (stream.deleting_until) note(*stream.deleting_until);
      for (std::uint32_t shard = 0; shard < static_cast<std::uint32_t>(stream.shard_count); ++shard)
        STATOR_CHECK(erase_old(stream, storage::kinesis_shard_bytes(shard), piece, left, note));
    }
    STATOR_CHECK(piece.apply());
    return left == 0 ? std::optional(piece.now) : due;
  }

 private:
  static Timestamp due_of(Timestamp arrived) {
    return arrived.plus(kKinesisRetention + kEraseInterval);
  }

  // Erases up to `left` records. Notes when the next one is due.
  template <class Note>
  static Result<void> erase_old(const KinesisStream& stream, const std::string& shard,
                                ChorePiece& piece, std::size_t& left, const Note& note) {
    storage::RecordCursor cursor(piece.transaction, stream.space);
    STATOR_CHECK(cursor.seek_range(shard, {}, storage::Direction::Forward));
    while (const auto bytes = left > 0 ? cursor.record() : std::nullopt) {
      STATOR_TRY(const auto record, storage::decode_kinesis_record(*bytes));
      if (record.arrived.plus(kKinesisRetention) > piece.now) {
        note(due_of(record.arrived));
        return {};
      }
      --left;
      const std::string number = storage::kinesis_number_bytes(record.number);
      piece.mutation.erase_record(
          {stream.space, piece.arena.copy(shard), piece.arena.copy(number)});
      STATOR_CHECK(cursor.next());
    }
    return {};
  }

  const ChoreSubject subject_ = ChoreSubject::without_table();
};

}  // namespace

std::unique_ptr<ChoreKind> make_kinesis_retention() { return std::make_unique<KinesisRetention>(); }

}  // namespace stator

// Bounds the space of streams. Erases the oldest records of all tables beyond
// StreamLimits::bytes_max, earlier in a full store, and closed streams beyond kClosedStreamsMax.
// Bound to nothing: there is one chore for all tables.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/state/stream_life.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"

namespace stator {
namespace {

// Record bytes to remove each time the store is full: a large request fits afterwards. If it does
// not, the next rejected request removes as much again.
constexpr std::uint64_t kRoomBytes = std::uint64_t{4} << 20;
// Closed streams to remove in one commit.
constexpr std::size_t kPieceStreamsMax = 100;

class StreamBound final : public ChoreKind {
 public:
  // run_piece() knows the bound.
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Schedule& enter) override {
    has_records_ = transaction.occupied_bytes(storage::Database::Journal) > 0;
    if (has_records_ || transaction.record_count(storage::Database::Consumers) > kClosedStreamsMax)
      enter(subject_, kAtOnce);
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Schedule& enter) override {
    // A piece that found no records to erase will find none after its own commit either.
    is_tried_ = std::exchange(found_none_, false);
    has_records_ = has_records_ || !batch.journaled.empty();
    if (batch.has_too_large_streams || batch.has_closed_stream) enter(subject_, kAtOnce);
  }

  void room_is_short(const Schedule& enter) override {
    // The piece that failed may be this chore's own, which the list retries.
    if (!has_records_ || is_tried_) return;
    room_wanted_ = kRoomBytes;
    enter(subject_, kAtOnce);
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& /*subject*/,
                                             ChorePiece& piece) override {
    is_tried_ = true;
    STATOR_TRY(const bool has_all_streams, forget_oldest_streams(piece));
    const auto due = [&](bool is_done) {
      return is_done && has_all_streams ? std::optional<Timestamp>() : std::optional(piece.now);
    };
    STATOR_TRY(is_too_large_, is_too_large(piece));
    if (!is_too_large_ && room_wanted_ == 0) return due(/*is_done=*/true);
    STATOR_TRY(Tables tables, tables_of_streams(piece.transaction));
    found_none_ = tables.empty();
    STATOR_TRY(const bool is_all, trim_oldest(tables, piece));
    for (const auto& [number, table] : tables) {
      // No consumer needs entries before the one that is its first now.
      for (const storage::Consumer& consumer : table.streams) {
        if (table.horizon > consumer.position)
          STATOR_CHECK(storage::put_consumer(piece.transaction,
                                             {consumer.table, consumer.name, table.horizon}));
      }
    }
    return due(is_all);
  }

 private:
  // The streams of one table, or what it keeps on request, and how far its journal is trimmed.
  struct TrimState {
    std::vector<storage::Consumer> streams;
    std::uint64_t kept_from = UINT64_MAX;  // the first entry that other consumers need
    std::uint64_t horizon = 0;
  };
  // By the number of their first entry.
  using Tables = std::map<std::uint64_t, TrimState>;

  static Result<bool> is_too_large(const ChorePiece& piece) {
    STATOR_TRY(const std::uint64_t bytes, piece.batch.stream_bytes(piece.transaction));
    return bytes > piece.batch.stream_limits().bytes_max;
  }

  bool must_trim() const { return room_wanted_ > 0 || is_too_large_; }

  static Result<Tables> tables_of_streams(const storage::Transaction& transaction) {
    STATOR_TRY(const auto consumers, storage::all_consumers(transaction));
    std::map<storage::SpaceId, TrimState> by_space;
    for (const storage::Consumer& consumer : consumers) {
      TrimState& table = by_space[consumer.table];
      if (stream_of(consumer.name) || kept_period_of(consumer.name)) {
        table.streams.push_back(consumer);
      } else {
        table.kept_from = std::min(table.kept_from, consumer.position);
      }
    }
    Tables tables;
    for (auto& [space, table] : by_space) {
      if (table.streams.empty()) continue;
      STATOR_TRY(const auto first, storage::find_in_journal(transaction, space, 0));
      if (first && first->number < table.kept_from) tables.emplace(first->number, std::move(table));
    }
    return tables;
  }

  // Erases the oldest entries of all tables until their bytes are within the bound or the piece is
  // full. Returns whether they are.
  Result<bool> trim_oldest(Tables& tables, ChorePiece& piece) {
    Tables done;
    std::size_t erased = 0;
    while (!tables.empty() && erased < piece.limits.records_max && must_trim()) {
      auto oldest = tables.extract(tables.begin());
      TrimState& table = oldest.mapped();
      const storage::SpaceId space = table.streams.front().table;
      STATOR_TRY(const auto entry,
                 storage::find_in_journal(piece.transaction, space, oldest.key()));
      if (room_wanted_ > 0) piece.batch.note_records_given_up();
      room_wanted_ -= std::min<std::uint64_t>(room_wanted_, entry ? entry->bytes.size() : 0);
      STATOR_CHECK(storage::erase_in_journal(piece.transaction, space, oldest.key()));
      STATOR_TRY(is_too_large_, is_too_large(piece));
      ++erased;
      table.horizon = oldest.key() + 1;
      STATOR_TRY(const auto next,
                 storage::find_in_journal(piece.transaction, space, table.horizon));
      const bool has_more = next && next->number < table.kept_from;
      if (has_more) oldest.key() = next->number;
      (has_more ? tables : done).insert(std::move(oldest));
    }
    if (tables.empty()) {
      room_wanted_ = 0;
      has_records_ = piece.transaction.record_count(storage::Database::Journal) > 0;
    }
    const bool is_all = tables.empty() || !must_trim();
    tables.merge(done);
    return is_all;
  }

  // Removes a piece of the closed streams beyond the bound, and some more, so that not every stream
  // that closes makes it count them again. Returns whether it is done.
  static Result<bool> forget_oldest_streams(ChorePiece& piece) {
    if (piece.transaction.record_count(storage::Database::Consumers) <= kClosedStreamsMax)
      return true;
    STATOR_TRY(const auto closed, closed_streams(piece.transaction));
    if (closed.size() <= kClosedStreamsMax) return true;
    const std::size_t count = closed.size() - kClosedStreamsMax + kPieceStreamsMax / 2;
    const std::size_t now = std::min(count, kPieceStreamsMax);
    for (std::size_t i = 0; i < now; ++i) {
      STATOR_TRY(const auto stream, storage::find_stream(piece.transaction, closed[i]));
      if (stream) STATOR_CHECK(forget_stream(*stream, {piece.batch, piece.transaction, piece.now}));
    }
    piece.batch.note_streams_given_up();
    return now == count;
  }

  // Belong to the leader.
  bool has_records_ = false;       // some may be erasable
  bool is_tried_ = false;          // staged, not committed yet; or it found none
  bool found_none_ = false;        // the piece that is staged
  bool is_too_large_ = false;      // at the last check
  std::uint64_t room_wanted_ = 0;  // bytes to erase even within the bound
  const ChoreSubject subject_ = ChoreSubject::without_table();
};

}  // namespace

std::unique_ptr<ChoreKind> make_stream_bound() { return std::make_unique<StreamBound>(); }

}  // namespace stator

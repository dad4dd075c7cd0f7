// Erases history of tables with point-in-time recovery (engine/state/history.h). One kind, bound to
// the table, erases what is older than the table's period. The other, bound to nothing, erases the
// oldest of all tables while history exceeds Settings::history_bytes_max or the store is full. A
// third kind, bound to the table, erases what tables keep on request
// (engine/history/kept_changes.h) once it is older than was asked for.
#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "engine/catalog/consumers.h"
#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/maintenance/chores/table_chore.h"
#include "engine/state/history.h"
#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

// Bytes of history to erase each time the store is full.
constexpr std::int64_t kRoomBytes = std::int64_t{4} << 20;
// Erases this fraction beyond the bound, so that not every write starts the chore again.
constexpr std::int64_t kSpareParts = 16;

Result<Timestamp> time_of(const storage::NumberedEntry& entry) {
  STATOR_TRY(const auto decoded, storage::decode_journal_entry(entry.bytes));
  return decoded.written.time;
}

// Entries fall due all the time. Checking less often makes long moves of the clock short; the
// window that users see begins on time all the same.
constexpr std::int64_t kLooksInPeriod = 100;

Timestamp look_due(Timestamp written, std::chrono::microseconds period) {
  return written.plus(period + period / kLooksInPeriod);
}

Timestamp look_due(Timestamp written, const PointInTimeRecovery& recovery) {
  return look_due(written, history_period(recovery));
}

class HistoryUpkeep final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& /*transaction*/, const Catalog& catalog,
                        const Schedule& enter) override {
    catalog.for_each([&](const Table& table) {
      if (table.recovery) enter({table.space, table.runtime}, kAtOnce);
    });
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Schedule& enter) override {
    for (const auto& [space, time] : batch.journaled) {
      const Table* table = catalog.find(space);
      if (table != nullptr && table->recovery)
        enter({space, table->runtime}, look_due(time, *table->recovery));
    }
    // A shorter period may make entries due.
    for (const storage::SpaceId space : batch.changed_tables) {
      const Table* table = catalog.find(space);
      if (table != nullptr && table->recovery) enter({space, table->runtime}, kAtOnce);
    }
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const Table* table = piece.catalog().find(subject.space);
    if (table == nullptr || !table->recovery) return std::optional<Timestamp>();
    const auto period = history_period(*table->recovery);
    std::optional<Timestamp> due;
    for (std::size_t count = 0;; ++count) {
      STATOR_TRY(const auto first, first_of_history(piece.transaction, *table));
      if (!first) break;
      STATOR_TRY(const Timestamp written, time_of(*first));
      // Restores to the second in which the window starts need the entry.
      const bool is_needed = written.plus(period + std::chrono::seconds(1)) >= piece.now;
      if (is_needed) due = look_due(written, *table->recovery);
      if (count == piece.limits.records_max) due = piece.now;
      if (due) break;
      STATOR_CHECK(give_up_history(*table, *first, piece.batch, piece.transaction));
    }
    STATOR_TRY(const bool is_trimmed,
               storage::trim_journal(piece.transaction, table->space, piece.limits.records_max));
    return is_trimmed ? due : std::optional(piece.now);
  }
};

class HistoryBound final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& /*transaction*/, const Catalog& catalog,
                        const Schedule& enter) override {
    has_history_ = false;
    catalog.for_each([&](const Table& table) { has_history_ = has_history_ || table.recovery; });
    if (has_history_) enter(subject_, kAtOnce);
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Schedule& enter) override {
    is_tried_ = false;
    has_history_ = has_history_ || !batch.journaled.empty();
    if (batch.has_too_large_history) enter(subject_, kAtOnce);
  }

  void room_is_short(const Schedule& enter) override {
    // The piece that failed may be this chore's own, which the list retries.
    if (!has_history_ || is_tried_) return;
    room_wanted_ = kRoomBytes;
    enter(subject_, kAtOnce);
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& /*subject*/,
                                             ChorePiece& piece) override {
    is_tried_ = true;
    STATOR_TRY(const std::int64_t bytes, piece.batch.history_bytes(piece.transaction));
    const auto bytes_max = static_cast<std::int64_t>(piece.batch.history_bytes_max());
    if (bytes > bytes_max)
      room_wanted_ = std::max(room_wanted_, bytes - bytes_max + bytes_max / kSpareParts);
    if (room_wanted_ <= 0) return std::optional<Timestamp>();
    STATOR_TRY(auto firsts, first_entries(piece));
    has_history_ = !firsts.empty();
    STATOR_CHECK(give_up_oldest(firsts, piece));
    if (room_wanted_ > 0 && !firsts.empty()) return std::optional(piece.now);
    room_wanted_ = 0;
    return std::optional<Timestamp>();
  }

 private:
  // The tables with history, by the number of their first entry.
  using Tables = std::map<std::uint64_t, const Table*>;

  static Result<Tables> first_entries(ChorePiece& piece) {
    std::vector<const Table*> tables;
    piece.catalog().for_each([&](const Table& table) {
      if (table.recovery) tables.push_back(&table);
    });
    Tables firsts;
    for (const Table* table : tables) {
      STATOR_TRY(const auto first, first_of_history(piece.transaction, *table));
      if (first) firsts.emplace(first->number, table);
    }
    return firsts;
  }

  Result<void> give_up_oldest(Tables& firsts, ChorePiece& piece) {
    std::map<const Table*, Timestamp> given_up;  // up to this time
    for (std::size_t count = 0;
         !firsts.empty() && room_wanted_ > 0 && count < piece.limits.records_max; ++count) {
      const Table* table = firsts.begin()->second;
      firsts.erase(firsts.begin());
      STATOR_TRY(const auto first, first_of_history(piece.transaction, *table));
      STATOR_TRY(given_up[table], time_of(*first));
      room_wanted_ -= stored_entry_bytes(first->bytes.size());
      STATOR_CHECK(give_up_history(*table, *first, piece.batch, piece.transaction));
      STATOR_TRY(const auto next, first_of_history(piece.transaction, *table));
      if (next) firsts.emplace(next->number, table);
    }
    for (const auto& [table, until] : given_up) {
      STATOR_CHECK(storage::trim_journal(piece.transaction, table->space, piece.limits.records_max)
                       .map([](bool) {}));
      Table next = *table;
      next.recovery->earliest = until;
      piece.mutation.put_table(std::move(next));
      piece.batch.note_history_given_up();
    }
    return piece.apply();
  }

  // Belong to the leader.
  bool has_history_ = false;
  bool is_tried_ = false;  // staged, not committed yet
  std::int64_t room_wanted_ = 0;
  const ChoreSubject subject_ = ChoreSubject::without_table();
};

class KeptChanges final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog,
                        const Schedule& enter) override {
    periods_.clear();
    STATOR_TRY(const auto consumers, storage::all_consumers(transaction));
    for (const storage::Consumer& consumer : consumers) {
      const Table* table = catalog.find(consumer.table);
      if (table != nullptr && kept_period_of(consumer.name))
        enter({table->space, table->runtime}, kAtOnce);
    }
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Schedule& enter) override {
    for (const storage::SpaceId space : batch.kept_journals) {
      if (const Table* table = catalog.find(space)) enter({space, table->runtime}, kAtOnce);
    }
    if (periods_.empty()) return;
    for (const auto& [space, time] : batch.journaled) {
      const auto kept = periods_.find(space);
      const Table* table = kept == periods_.end() ? nullptr : catalog.find(space);
      if (table != nullptr) enter({space, table->runtime}, look_due(time, kept->second));
    }
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    STATOR_TRY(const auto consumers, storage::consumers_of(piece.transaction, subject.space));
    const auto kept = std::find_if(consumers.begin(), consumers.end(), [](const auto& consumer) {
      return kept_period_of(consumer.name).has_value();
    });
    if (kept == consumers.end()) {
      periods_.erase(subject.space);
      return std::optional<Timestamp>();
    }
    const std::chrono::microseconds period = *kept_period_of(kept->name);
    periods_[subject.space] = period;
    std::uint64_t position = kept->position;
    std::optional<Timestamp> due;
    for (std::size_t count = 0;; ++count) {
      STATOR_TRY(const auto entry,
                 storage::find_in_journal(piece.transaction, subject.space, position));
      if (!entry) break;
      STATOR_TRY(const Timestamp written, time_of(*entry));
      if (written.plus(period) > piece.now) due = look_due(written, period);
      if (count == piece.limits.records_max) due = piece.now;
      if (due) break;
      position = entry->number + 1;
    }
    if (position != kept->position)
      STATOR_CHECK(storage::put_consumer(piece.transaction, {subject.space, kept->name, position}));
    STATOR_TRY(const bool is_trimmed,
               storage::trim_journal(piece.transaction, subject.space, piece.limits.records_max));
    return is_trimmed ? due : std::optional(piece.now);
  }

 private:
  // Of the tables that keep changes, once their chore has run. Belongs to the leader.
  std::map<storage::SpaceId, std::chrono::microseconds> periods_;
};

}  // namespace

std::unique_ptr<ChoreKind> make_history_upkeep() { return std::make_unique<HistoryUpkeep>(); }
std::unique_ptr<ChoreKind> make_history_bound() { return std::make_unique<HistoryBound>(); }
std::unique_ptr<ChoreKind> make_kept_changes() { return std::make_unique<KeptChanges>(); }

}  // namespace stator

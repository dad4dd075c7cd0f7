// Expiry sweep: deletes expired items as DeleteItem does, with another Origin and without consuming
// capacity. Bound to the table, due when its next item is. Until the sweep, reads return expired
// items like all others.
#include <algorithm>
#include <limits>
#include <vector>

#include "engine/indexes/expiry_entries.h"
#include "engine/items/item_decision.h"
#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/maintenance/chores/piece_snapshot.h"
#include "engine/schema/expiry.h"
#include "engine/storage/stores/expiries.h"

namespace stator {
namespace {

// Each deletion touches other pages, so a record costs more time here than in other chores.
constexpr std::size_t kPieceItemsMax = 250;

// A move of time, however long, costs at most this many sweeps of a table, plus one.
constexpr int kSweepsInMove = 10'000;

bool is_sweepable(const Table& table, Timestamp now) {
  return table.expiry() != nullptr && now >= table.expiry()->changing_until &&
         !table.deleting_until;
}

// Deletes one item if the stored item is due as its entry says; it may have changed since the entry
// was found. Returns its bytes; empty if it stays.
Result<std::optional<std::size_t>> delete_expired(const Table& table, const storage::Expiry& entry,
                                                  const WriteContext& context, Mutation& mutation) {
  const TimeToLive& expiry = *table.expiry();
  const DeletePlan plan;
  STATOR_TRY(const Decision decision, decide(table, {entry.partition, entry.sort}, plan, context));
  const StoredItem& stored = decision.before;
  if (!stored.exists() || expiry_due_s(expiry, stored.record()) != entry.due_s) {
    // No write leaves such an entry. Erase it, or each sweep would meet it again.
    mutation.change_expiry({entry.space, entry.partition, entry.sort, entry.due_s, std::nullopt});
    return std::optional<std::size_t>();
  }
  enter(decision, mutation);
  return std::optional(stored.size_bytes());
}

class ExpirySweep final : public ChoreKind {
 public:
  explicit ExpirySweep(const Settings& settings) : settings_(settings) {}

  Result<void> find_all(const storage::Transaction& transaction, const Catalog& catalog,
                        const Schedule& enter) override {
    std::vector<const Table*> tables;
    catalog.for_each([&](const Table& table) {
      if (table.expiry() != nullptr) tables.push_back(&table);
    });
    for (const Table* table : tables) {
      STATOR_TRY(const auto first,
                 storage::first_expiry(transaction, table->expiry()->space, /*due_s=*/0));
      if (first) enter_table(*table, first->due_s, enter);
    }
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Schedule& enter) override {
    for (const auto& [space, due_s] : batch.expiring) {
      const Table* table = catalog.find(space);
      if (table != nullptr && table->expiry() != nullptr) enter_table(*table, due_s, enter);
    }
  }

  Result<void> on_clock_move(std::chrono::microseconds length, const ChorePiece& with,
                             const Schedule& enter) override {
    stride_ = length / kSweepsInMove;
    if (length.count() > 0) return {};
    with.catalog().for_each([](const Table& table) { table.runtime->next_expiry_sweep = {}; });
    return find_all(with.transaction, with.catalog(), enter);
  }

  Result<void> delays_changed(const ChorePiece& with, const Schedule& enter) override {
    return find_all(with.transaction, with.catalog(), enter);
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const Table* table = piece.catalog().find(subject.space);
    const bool is_over =
        table == nullptr || table->expiry() == nullptr || table->deleting_until.has_value();
    if (is_over || interval().count() == 0) return std::optional<Timestamp>();
    STATOR_TRY(const ExpirySwept swept, sweep_expired(*table, delay(), piece));
    if (!swept.is_done) return std::optional(piece.now);
    const ExpiryWindow window = ExpiryWindow::at(piece.now, delay());
    const bool is_swept = is_sweepable(*table, piece.now);
    const std::uint64_t next_s =
        is_swept ? std::max(window.first_s, window.last_s + 1) : window.first_s;
    STATOR_TRY(const auto next,
               storage::first_expiry(piece.transaction, table->expiry()->space, next_s));
    if (is_swept) table->runtime->next_expiry_sweep = next_interval(piece.now);
    return next ? std::optional(due(*table, next->due_s)) : std::nullopt;
  }

 private:
  void enter_table(const Table& table, std::uint64_t due_s, const Schedule& enter) const {
    if (interval().count() > 0 && !table.deleting_until)
      enter({table.space, table.runtime}, due(table, due_s));
  }

  Timestamp due(const Table& table, std::uint64_t due_s) const {
    return std::max({ExpiryWindow::begin(due_s, delay()), table.expiry()->changing_until,
                     table.runtime->next_expiry_sweep});
  }

  // Intervals begin at multiples of their length: with the default, items go in their very second.
  Timestamp next_interval(Timestamp now) const {
    const std::int64_t interval_us = std::max(interval(), stride_).count();
    return {(now.unix_us / interval_us + 1) * interval_us};
  }

  std::chrono::microseconds delay() const { return settings_.ttl_delay; }
  std::chrono::microseconds interval() const { return settings_.ttl_sweep_interval; }

  const Settings& settings_;
  std::chrono::microseconds stride_{0};  // replaces it while time advances; belongs to the leader
};

}  // namespace

Result<ExpirySwept> sweep_expired(const Table& table, std::chrono::microseconds delay,
                                  ChorePiece& piece) {
  ExpirySwept swept;
  if (!is_sweepable(table, piece.now)) return swept;
  const ExpiryWindow window = ExpiryWindow::at(piece.now, delay);
  const PieceSnapshot snapshot(piece);
  const WriteContext context{.snapshot = snapshot.get(),
                             .arena = piece.arena,
                             .scratch = piece.mutation.scratch(),
                             .looking = piece.mutation.looking(),
                             .item_collection_bytes_max = std::numeric_limits<std::int64_t>::max(),
                             .earlier = nullptr,
                             .origin = storage::Origin::TimeToLive};
  piece.mutation.set_origin(context.origin);
  STATOR_TRY(auto met,
             storage::first_expiry(piece.transaction, table.expiry()->space, window.first_s));
  std::size_t bytes = 0;
  const std::size_t count_max = std::min(piece.limits.records_max, kPieceItemsMax);
  for (std::size_t count = 0; met && met->due_s <= window.last_s; ++count) {
    if (count >= count_max || bytes >= piece.limits.bytes_max) {
      swept.is_done = false;
      break;
    }
    // The mutation is applied while pages change, so it must not refer to them.
    const storage::Expiry entry{met->space, met->due_s, piece.arena.copy(met->partition),
                                piece.arena.copy(met->sort)};
    STATOR_TRY(const auto deleted_bytes, delete_expired(table, entry, context, piece.mutation));
    if (deleted_bytes) ++swept.deleted;
    bytes += deleted_bytes.value_or(0);
    STATOR_TRY(met, storage::next_expiry(piece.transaction, entry));
  }
  STATOR_CHECK(piece.apply());
  return swept;
}

std::unique_ptr<ChoreKind> make_expiry_sweep(const Settings& settings) {
  return std::make_unique<ExpirySweep>(settings);
}

}  // namespace stator

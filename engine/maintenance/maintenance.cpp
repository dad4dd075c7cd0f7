#include "engine/maintenance/maintenance.h"

#include <functional>

#include "engine/maintenance/chore_kinds.h"

namespace stator {
namespace {

// How long a chore waits whose piece could not be stored, unless there is room before.
constexpr std::chrono::seconds kRetry{1};

}  // namespace

Maintenance::Maintenance(MutationApplier& batch, Mutation& mutation, const Settings& settings)
    : kinds_(make_chore_kinds(settings)),
      list_(kinds_.size()),
      batch_(batch),
      mutation_(mutation) {}

Result<void> Maintenance::find_all(const storage::Transaction& transaction,
                                   const Catalog& catalog) {
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    STATOR_CHECK(kinds_[kind]->find_all(transaction, catalog,
                                        [this, kind](const ChoreSubject& subject, Timestamp due) {
                                          list_.enter({kind, subject}, due);
                                        }));
  }
  return {};
}

void Maintenance::forget_all() {
  {
    const std::lock_guard lock(failed_mutex_);
    failed_.clear();
  }
  list_.clear();
}

Result<void> Maintenance::time_moves(std::chrono::microseconds length, const ChorePiece& with) {
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const auto enter = [this, kind](const ChoreSubject& subject, Timestamp due) {
      list_.enter({kind, subject}, due);
    };
    STATOR_CHECK(kinds_[kind]->time_moves(length, with.transaction, with.catalog(), enter));
  }
  return {};
}

std::optional<Timestamp> Maintenance::batch_committed(const MutationApplier::Ended& batch,
                                                      const Catalog& catalog) {
  std::optional<Timestamp> first;
  std::size_t kind = 0;
  const auto note = [&](const ChoreSubject& subject, Timestamp due) {
    const bool is_news = list_.enter({kind, subject}, due);
    if (is_news && (!first || due < *first)) first = due;
  };
  // One for all kinds, by reference: a commit allocates nothing for it.
  const ChoreKind::Enter enter = std::ref(note);
  for (; kind < kinds_.size(); ++kind) kinds_[kind]->batch_committed(batch, catalog, enter);
  return first;
}

void Maintenance::piece_stored(const Chore& chore, std::optional<Timestamp> due) {
  {
    const std::lock_guard lock(failed_mutex_);
    failed_.erase({chore.kind, chore.subject.runtime.get()});
  }
  if (due) list_.enter(chore, *due);
}

void Maintenance::piece_failed(const Chore& chore, Timestamp now, std::uint64_t room_returns) {
  const std::lock_guard lock(failed_mutex_);
  const bool has_room_since = room_returns != room_returns_;
  if (!has_room_since) failed_.insert_or_assign({chore.kind, chore.subject.runtime.get()}, chore);
  list_.enter(chore, has_room_since ? now : now.plus(kRetry));
}

std::uint64_t Maintenance::room_returns() {
  const std::lock_guard lock(failed_mutex_);
  return room_returns_;
}

bool Maintenance::room_returned() {
  const std::lock_guard lock(failed_mutex_);
  ++room_returns_;
  for (const auto& [subject, chore] : failed_) list_.enter(chore, Timestamp::min());
  return !std::exchange(failed_, {}).empty();
}

ChorePiece Maintenance::piece(storage::WriteTransaction& transaction, Timestamp now,
                              const PieceLimits& limits) {
  mutation_.clear();
  arena_.reset();
  return {transaction, batch_, mutation_, arena_, now, limits};
}

Result<std::optional<Timestamp>> Maintenance::run_piece(const Chore& chore,
                                                        storage::WriteTransaction& transaction,
                                                        Timestamp now, const PieceLimits& limits) {
  ChorePiece with = piece(transaction, now, limits);
  return kinds_[chore.kind]->run_piece(chore.subject, with);
}

Result<void> Maintenance::begin_backfill(const Table& table, storage::WriteTransaction& transaction,
                                         Timestamp now) {
  const PieceLimits limits;
  ChorePiece with = piece(transaction, now, limits);
  return run_first_backfill_piece(table, with);
}

Result<bool> Maintenance::end_late_index(storage::WriteTransaction& transaction) {
  const PieceLimits limits;
  ChorePiece with = piece(transaction, Timestamp::max(), limits);
  return stator::end_late_index(with);
}

}  // namespace stator

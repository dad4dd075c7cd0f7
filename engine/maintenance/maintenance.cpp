#include "engine/maintenance/maintenance.h"

#include <cassert>
#include <functional>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/storage/environment/leader_owned.h"

namespace stator {
namespace {

// How long a chore waits after a piece that could not be stored, unless space frees up before.
constexpr std::chrono::seconds kRetry{1};

// How many frugal pieces share the limits of an ordinary one.
constexpr std::size_t kFrugalPieces = 16;

ChoreList::Kinds kinds_that(bool only_free_space,
                            const std::vector<std::unique_ptr<ChoreKind>>& kinds) {
  ChoreList::Kinds found;
  for (const auto& kind : kinds) found.push_back(kind->only_frees_space() == only_free_space);
  return found;
}

}  // namespace

Maintenance::Maintenance(MutationApplier& batch, Mutation& mutation, const Settings& settings)
    : kinds_(make_chore_kinds(settings)),
      freeing_(kinds_that(true, kinds_)),
      other_(kinds_that(false, kinds_)),
      list_(kinds_.size()),
      batch_(batch),
      mutation_(mutation) {}

Result<void> Maintenance::find_all(const storage::Transaction& transaction,
                                   const Catalog& catalog) {
  assert(storage::is_leading());
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    STATOR_CHECK(kinds_[kind]->find_all(transaction, catalog,
                                        [this, kind](const ChoreSubject& subject, Timestamp due) {
                                          list_.enter({kind, subject}, due);
                                        }));
  }
  return {};
}

void Maintenance::forget_all() {
  assert(storage::is_leading());
  {
    const std::lock_guard lock(failed_mutex_);
    failed_.clear();
    frugal_.clear();
  }
  list_.clear();
}

Result<void> Maintenance::on_clock_move(std::chrono::microseconds length, const ChorePiece& with) {
  assert(storage::is_leading());
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const auto enter = [this, kind](const ChoreSubject& subject, Timestamp due) {
      list_.enter({kind, subject}, due);
    };
    STATOR_CHECK(kinds_[kind]->on_clock_move(length, with, enter));
  }
  return {};
}

Result<void> Maintenance::delays_changed(const ChorePiece& with) {
  assert(storage::is_leading());
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const auto enter = [this, kind](const ChoreSubject& subject, Timestamp due) {
      list_.enter({kind, subject}, due);
    };
    STATOR_CHECK(kinds_[kind]->delays_changed(with, enter));
  }
  return {};
}

bool Maintenance::room_is_short() {
  bool has_entered = false;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    kinds_[kind]->room_is_short([&](const ChoreSubject& subject, Timestamp due) {
      list_.enter({kind, subject}, due);
      has_entered = true;
    });
  }
  return has_entered;
}

std::optional<Timestamp> Maintenance::batch_committed(const MutationApplier::Ended& batch,
                                                      const Catalog& catalog) {
  assert(storage::is_leading());
  std::optional<Timestamp> first;
  std::size_t kind = 0;
  const auto note = [&](const ChoreSubject& subject, Timestamp due) {
    const bool is_news = list_.enter({kind, subject}, due);
    if (is_news && (!first || due < *first)) first = due;
  };
  // One function for all kinds, by reference: a commit allocates nothing for it.
  const ChoreKind::Schedule enter = std::ref(note);
  for (; kind < kinds_.size(); ++kind) kinds_[kind]->batch_committed(batch, catalog, enter);
  return first;
}

std::vector<Chore> Maintenance::take(Timestamp now, std::size_t count_max) {
  std::vector<Chore> chores;
  auto next = list_.take(now);
  while (next) {
    const ChoreList::Kinds& alike = only_frees_space(*next) ? freeing_ : other_;
    chores.push_back(*std::move(next));
    next = chores.size() < count_max ? list_.take(now, &alike) : std::nullopt;
  }
  return chores;
}

bool Maintenance::piece_stored(const Chore& chore, std::optional<Timestamp> due, Timestamp now) {
  bool has_waited = false;
  {
    const std::lock_guard lock(failed_mutex_);
    failed_.erase(key_of(chore));
    const auto frugal = frugal_.find(key_of(chore));
    if (frugal != frugal_.end() && (!due || *due > now)) {
      has_waited = frugal->second;
      frugal_.erase(frugal);
    }
  }
  if (due) list_.enter_again(chore, *due, now);
  return has_waited;
}

Maintenance::AfterFailure Maintenance::piece_failed(const Chore& chore, bool was_frugal,
                                                    Timestamp now, std::uint64_t room_returns) {
  const std::lock_guard lock(failed_mutex_);
  if (has_frugal_pieces(chore) && !was_frugal) {
    frugal_.try_emplace(key_of(chore), false);
    list_.enter_again(chore, now, now);
    return AfterFailure::GoesOn;
  }
  const bool has_room_since = room_returns != room_returns_;
  if (!has_room_since) failed_.insert_or_assign(key_of(chore), chore);
  list_.enter(chore, has_room_since ? now : now.plus(kRetry));
  const auto frugal = frugal_.find(key_of(chore));
  if (frugal == frugal_.end()) return AfterFailure::BeginsToWait;
  return std::exchange(frugal->second, true) ? AfterFailure::Waits : AfterFailure::BeginsToWait;
}

bool Maintenance::is_frugal(const Chore& chore) {
  const std::lock_guard lock(failed_mutex_);
  return frugal_.contains(key_of(chore));
}

std::uint64_t Maintenance::room_returns() {
  const std::lock_guard lock(failed_mutex_);
  return room_returns_;
}

bool Maintenance::space_returned() {
  assert(storage::is_leading());
  const std::lock_guard lock(failed_mutex_);
  ++room_returns_;
  for (const auto& [subject, chore] : failed_) list_.enter(chore, Timestamp::min());
  return !std::exchange(failed_, {}).empty();
}

ChorePiece Maintenance::piece(storage::WriteTransaction& transaction, Timestamp now,
                              const PieceLimits& limits) {
  assert(storage::is_leading());
  mutation_.clear();
  arena_.reset();
  return {transaction, batch_, mutation_, arena_, now, limits};
}

Result<std::optional<Timestamp>> Maintenance::run_piece(const Chore& chore,
                                                        storage::WriteTransaction& transaction,
                                                        Timestamp now, const PieceLimits& limits,
                                                        bool is_frugal) {
  const PieceLimits own = limits.shared_by(is_frugal ? kFrugalPieces : 1);
  ChorePiece with = piece(transaction, now, own);
  with.is_frugal = is_frugal;
  return kinds_[chore.kind]->run_piece(chore.subject, with);
}

Result<void> Maintenance::begin_backfill(const Table& table, storage::WriteTransaction& transaction,
                                         Timestamp now) {
  const PieceLimits limits;
  ChorePiece with = piece(transaction, now, limits);
  return run_first_backfill_piece(table, with);
}

Result<void> Maintenance::begin_copy(storage::SpaceId target,
                                     storage::WriteTransaction& transaction, Timestamp now) {
  const PieceLimits limits;
  // The first piece copies the items, the second undoes later changes.
  for (const bool is_last : {false, true}) {
    ChorePiece with = piece(transaction, now, limits);
    STATOR_TRY(const auto next_due, run_copy_piece(target, with));
    if (!next_due || *next_due > now || is_last) break;
  }
  return {};
}

Result<bool> Maintenance::end_late_index(storage::WriteTransaction& transaction, bool is_frugal) {
  const PieceLimits limits = PieceLimits().shared_by(is_frugal ? kFrugalPieces : 1);
  ChorePiece with = piece(transaction, Timestamp::max(), limits);
  with.is_frugal = is_frugal;
  return stator::end_late_index(with);
}

}  // namespace stator

#include "engine/maintenance/maintenance.h"

#include "engine/maintenance/chore_kinds.h"

namespace stator {

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
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    kinds_[kind]->batch_committed(batch, catalog,
                                  [this, kind, &first](const ChoreSubject& subject, Timestamp due) {
                                    const bool is_news = list_.enter({kind, subject}, due);
                                    if (is_news && (!first || due < *first)) first = due;
                                  });
  }
  return first;
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

// Token sweep: erases expired client tokens. Bound to nothing: there is one chore for all.
//
// No client can observe when a token is erased, so the sweep erases many at once, at multiples of
// an interval: under load a token expires every few microseconds.
#include <algorithm>

#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/storage/stores/token_store.h"

namespace stator {
namespace {

constexpr std::chrono::microseconds kInterval = std::chrono::seconds(10);

// Each token is on another page, so a record costs more time here than in other chores.
constexpr std::size_t kPieceTokensMax = 250;

Timestamp due(Timestamp finished) {
  const std::int64_t end_us = finished.plus(storage::kTokenLife).unix_us;
  return {(end_us + kInterval.count() - 1) / kInterval.count() * kInterval.count()};
}

class TokenSweep final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Schedule& enter) override {
    STATOR_TRY(const auto first, storage::first_token_finished(transaction));
    if (first) enter(subject_, due(*first));
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Schedule& enter) override {
    if (batch.kept_token) enter(subject_, due(*batch.kept_token));
  }

  bool only_frees_space() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& /*subject*/,
                                             ChorePiece& piece) override {
    const Timestamp ended = piece.now.plus(-storage::kTokenLife);
    const std::size_t count_max = std::min(piece.limits.records_max, kPieceTokensMax);
    STATOR_TRY(const auto first, storage::erase_oldest_tokens(piece.transaction, ended, count_max));
    if (!first) return std::optional<Timestamp>();
    return std::optional(*first <= ended ? piece.now : due(*first));
  }

 private:
  const ChoreSubject subject_ = ChoreSubject::without_table();
};

}  // namespace

std::unique_ptr<ChoreKind> make_token_sweep() { return std::make_unique<TokenSweep>(); }

}  // namespace stator

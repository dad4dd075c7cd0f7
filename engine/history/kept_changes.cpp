#include "engine/history/kept_changes.h"

#include <optional>

#include "engine/api/engine.h"
#include "engine/catalog/consumers.h"
#include "engine/maintenance/chores/chore.h"
#include "engine/storage/stores/journal.h"

namespace stator {

KeptOutcome keep_changes(Engine& engine, storage::SpaceId table, std::chrono::seconds period) {
  auto outcome = KeptOutcome::Done;
  const auto work = [&](ChorePiece& piece) -> Result<void> {
    const Table* const found = piece.catalog().find(table);
    const bool is_there = found != nullptr && found->space == table && !found->deleting_until;
    outcome = is_there ? KeptOutcome::Done : KeptOutcome::TableGone;
    if (!is_there) return {};
    std::optional<std::uint64_t> position;
    STATOR_TRY(const auto consumers, storage::consumers_of(piece.transaction, table));
    for (const storage::Consumer& consumer : consumers) {
      if (!kept_period_of(consumer.name)) continue;
      position = consumer.position;
      STATOR_CHECK(piece.batch.remove_consumer(table, consumer.name, piece.transaction));
    }
    if (period == std::chrono::seconds(0)) return {};
    const std::string name = kept_changes_consumer(period);
    return position ? piece.batch.add_consumer(table, name, *position, piece.transaction)
                    : piece.batch.add_consumer(table, name, piece.transaction);
  };
  return engine.commit_piece(work, /*only_frees_space=*/false) ? outcome : KeptOutcome::NotStored;
}

}  // namespace stator

// Deleting expired items on request (control.h).
#include <vector>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/maintenance/chores/chore_kinds.h"

namespace stator {
namespace {

// Completes the table's expiry entries first. Returns whether everything is done.
Result<bool> delete_some(storage::SpaceId space, ChorePiece& piece, std::uint64_t& deleted) {
  const Table* table = piece.catalog().find(space);
  if (table == nullptr || table->expiry() == nullptr) return true;
  if (table->expiry()->build) {
    STATOR_CHECK(build_expiries(*table, piece).map([](bool) {}));
    return false;
  }
  STATOR_TRY(const ExpirySwept swept, sweep_expired(*table, /*delay=*/{}, piece));
  deleted = swept.deleted;
  return swept.is_done;
}

}  // namespace

ExpiredItems delete_expired_items(Engine& engine, StopCondition& stop_condition) {
  ExpiredItems items;
  std::vector<storage::SpaceId> tables;
  const auto find_tables = [&](const Catalog& catalog, Timestamp, Mutation&) {
    tables.clear();
    catalog.for_each([&](const Table& table) {
      if (table.expiry() != nullptr && !table.deleting_until) tables.push_back(table.space);
    });
  };
  if (!engine.change(find_tables)) return {0, ExpiredItems::End::WriteFailed};
  for (const storage::SpaceId table : tables) {
    for (bool is_done = false; !is_done;) {
      if (stop_condition.should_stop()) return {items.deleted, ExpiredItems::End::Cancelled};
      std::uint64_t deleted = 0;
      const bool is_stored = engine.commit_piece([&](ChorePiece& piece) -> Result<void> {
        deleted = 0;
        STATOR_TRY(is_done, delete_some(table, piece, deleted));
        return {};
      });
      if (!is_stored) return {items.deleted, ExpiredItems::End::WriteFailed};
      items.deleted += deleted;
    }
  }
  return items;
}

}  // namespace stator

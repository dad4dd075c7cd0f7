#include "engine/expired_items.h"

#include <vector>

#include "engine/engine.h"
#include "engine/maintenance/chore_kinds.h"

namespace stator {
namespace {

// Finishes the table's entries first. Returns whether all is done.
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

ExpiredItems delete_expired_items(Engine& engine, Audience& audience) {
  ExpiredItems items;
  std::vector<storage::SpaceId> tables;
  const auto find_tables = [&](const Catalog& catalog, Timestamp, Mutation&) {
    tables.clear();
    catalog.for_each([&](const Table& table) {
      if (table.expiry() != nullptr && !table.deleting_until) tables.push_back(table.space);
    });
  };
  if (!engine.change(find_tables)) return {0, ExpiredItems::End::CouldNotStore};
  for (const storage::SpaceId table : tables) {
    for (bool is_done = false; !is_done;) {
      if (!audience.is_waiting()) return {items.deleted, ExpiredItems::End::GivenUp};
      std::uint64_t deleted = 0;
      const bool is_stored = engine.do_piece([&](ChorePiece& piece) -> Result<void> {
        deleted = 0;
        STATOR_TRY(is_done, delete_some(table, piece, deleted));
        return {};
      });
      if (!is_stored) return {items.deleted, ExpiredItems::End::CouldNotStore};
      items.deleted += deleted;
    }
  }
  return items;
}

}  // namespace stator

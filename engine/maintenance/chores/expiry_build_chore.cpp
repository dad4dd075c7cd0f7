// Continues the expiry entries of tables whose time to live was enabled
// (engine/indexes/expiry_build.h). Bound to the table.
#include "engine/indexes/expiry_build.h"
#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/maintenance/chores/table_chore.h"

namespace stator {
namespace {

bool is_building(const Table& table) {
  return table.expiry() != nullptr && table.expiry()->build && !table.deleting_until;
}

class ExpiryBuildChore final : public TableChore {
 public:
  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& subject,
                                             ChorePiece& piece) override {
    const Table* table = piece.catalog().find(subject.space);
    if (table == nullptr) return std::optional<Timestamp>();
    STATOR_TRY(const bool is_done, build_expiries(*table, piece));
    return is_done ? std::optional<Timestamp>() : std::optional(piece.now);
  }

 private:
  void schedule_for(const Table& table, const Schedule& enter) override {
    if (is_building(table)) enter({table.space, table.runtime}, kAtOnce);
  }
};

}  // namespace

Result<bool> build_expiries(const Table& table, ChorePiece& piece) {
  if (!is_building(table)) return true;
  const storage::SpaceId space = table.space;
  STATOR_CHECK(
      expiry_build_piece(piece.transaction, table, piece.limits, piece.mutation, piece.arena));
  STATOR_CHECK(piece.apply());
  return !is_building(*piece.catalog().find(space));
}

std::unique_ptr<ChoreKind> make_expiry_build() { return std::make_unique<ExpiryBuildChore>(); }

}  // namespace stator

// TableChore: a kind whose chores depend on a table's description alone.
#pragma once

#include "engine/maintenance/chores/chore.h"

namespace stator {

class TableChore : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& /*transaction*/, const Catalog& catalog,
                        const Schedule& enter) final {
    catalog.for_each([&](const Table& table) { schedule_for(table, enter); });
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Schedule& enter) final {
    for (const storage::SpaceId space : batch.changed_tables) {
      if (const Table* table = catalog.find(space)) schedule_for(*table, enter);
    }
  }

 private:
  // Schedules the chores that the table's description asks for.
  virtual void schedule_for(const Table& table, const Schedule& enter) = 0;
};

}  // namespace stator

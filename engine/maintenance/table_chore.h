// TableChore: a kind whose chores follow from what a table's description says, and from nothing
// else.
#pragma once

#include "engine/maintenance/chore.h"

namespace stator {

class TableChore : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& /*transaction*/, const Catalog& catalog,
                        const Enter& enter) final {
    catalog.for_each([&](const Table& table) { enter_from(table, enter); });
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& catalog,
                       const Enter& enter) final {
    for (const storage::SpaceId space : batch.changed_tables) {
      if (const Table* table = catalog.find(space)) enter_from(*table, enter);
    }
  }

 private:
  // Enters what the table, as it is now, leaves to do.
  virtual void enter_from(const Table& table, const Enter& enter) = 0;
};

}  // namespace stator

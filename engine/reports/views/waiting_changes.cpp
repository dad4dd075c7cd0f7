#include "engine/reports/views/waiting_changes.h"

#include "engine/catalog/consumers.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stores/journal.h"

namespace stator {

Result<LateIndexes> late_indexes(const Snapshot& snapshot) {
  LateIndexes late;
  std::size_t left = kLateChangesCountedMax;
  STATOR_TRY(const auto consumers, storage::all_consumers(snapshot.transaction()));
  for (const storage::Consumer& consumer : consumers) {
    const auto index = late_index_of(consumer.name);
    if (!index) continue;
    storage::JournalCursor journal(snapshot.transaction(), consumer.table);
    STATOR_CHECK(journal.seek(consumer.position));
    if (!journal.entry()) continue;
    LateChanges& changes = late[*index];
    STATOR_TRY(const auto first, storage::decode_journal_entry(journal.entry()->bytes));
    changes.oldest = first.written.time;
    for (; journal.entry() && left > 0; --left) {
      ++changes.changes;
      STATOR_CHECK(journal.next());
    }
    changes.has_more = journal.entry().has_value();
  }
  return late;
}

}  // namespace stator

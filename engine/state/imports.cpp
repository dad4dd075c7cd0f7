#include "engine/state/imports.h"

#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/stores/counters.h"

namespace stator {

Result<void> apply_import(ImportJob job, MutationApplier& batch,
                          storage::WriteTransaction& transaction) {
  if (job.space == storage::SpaceId{}) {
    STATOR_TRY(job.space, storage::take_space(transaction));
    job.table.space = job.space;
    batch.note_ready_job();
  }
  return storage::Imports::put(transaction, job);
}

}  // namespace stator

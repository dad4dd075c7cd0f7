// Imports as parts of a mutation.
#pragma once

#include "engine/schema/import_job.h"
#include "engine/state/mutation_applier.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// Stores a new import, which gets the number of its table, or the next state of one. A new one is
// ready for the server.
Result<void> apply_import(ImportJob job, MutationApplier& batch,
                          storage::WriteTransaction& transaction);

}  // namespace stator

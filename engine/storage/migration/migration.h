// Migration: converts the data of an older format version to ours when a folder is opened. Internal
// to this folder.
//
// The first commit writes our version and the position (Meta, `migration`); each further commit
// converts a bounded piece of the data and moves the position; the last one removes it. If the
// process is killed in between, only this version (or a later one) can open the folder, and it
// continues at the position.
#pragma once

#include "engine/storage/environment/environment.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// Continues a migration until it is complete; does nothing if none is in progress.
Result<void> finish_migration(Environment& environment, const MigrationListener& listener);

}  // namespace stator::storage

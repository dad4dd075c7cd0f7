// Imports in progress: checking and storing their items, and storing how an import ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/schema/import_job.h"
#include "protocol/errors/result.h"
#include "protocol/values/value.h"

namespace stator {

class Engine;
class Snapshot;

// The import in progress that comes first by the order of their starts and that `skips` does not
// name; empty if there is none.
Result<std::optional<ImportJob>> next_import_in_progress(
    const Snapshot& snapshot, const std::vector<storage::SpaceId>& skips);

struct ImportItem {
  Item item;
  std::size_t size_bytes = 0;  // billed
};

// Checks an item as PutItem does; the error has PutItem's text.
Result<ImportItem> check_import_item(const Table& table, Item item);

// The outcome of a commit.
enum class ImportCommit : std::uint8_t {
  Stored,
  TableExists,  // begin_import() only: there is another table of its name
  Elsewhere,    // a reset or a mark removed the import, or changed its progress
  NotStored,    // such as in a full store
  TableGone,    // begin_import() only: the table was made, and removed
};

// Makes the table, which is CREATING until the end, and moves the progress, here too, to after the
// empty key; no-op if that was done. This and the following wait for a commit.
ImportCommit begin_import(Engine& engine, ImportJob& job);

// Puts the items, of which the last one with a key counts, and stores the new progress.
// REQUIRES: the table is made; check_import_item() accepted the items; job.progress is stored.
ImportCommit store_import_items(Engine& engine, const ImportJob& job,
                                std::span<const ImportItem> items, const ImportProgress& progress);

// How an import ended. Without a failure code it is complete.
struct ImportEnd {
  std::string failure_code = {};
  std::string failure_message = {};
  bool keeps_table = true;  // otherwise it is removed, with its items
};
// Stores the end; the table becomes ACTIVE or goes. REQUIRES: job.progress is stored.
ImportCommit end_import(Engine& engine, const ImportJob& job, const ImportEnd& end);

}  // namespace stator

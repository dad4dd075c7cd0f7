// Exports whose items are complete: reading the items, and storing how an export ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/schema/export_job.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator {

class Engine;
class ExportFilter;
class Snapshot;

// How an export ended. Without a failure code it is complete.
struct ExportEnd {
  std::int64_t item_count = 0;
  std::int64_t size_bytes = 0;
  std::string failure_code = {};
  std::string failure_message = {};
};

class ReadyExports {
 public:
  // The snapshot must outlive this.
  explicit ReadyExports(const Snapshot& snapshot) : snapshot_(snapshot) {}

  // The time of the snapshot, by the engine's clock.
  Timestamp now() const;

  // An export whose items are to be written, the first by the order of their spaces that `skips`
  // does not name; empty if there is none.
  Result<std::optional<ExportJob>> next_ready(const std::vector<storage::SpaceId>& skips) const;
  // Whether this one is still to be written: a reset or a mark may have removed it.
  Result<bool> is_ready(const ExportJob& job) const;

  // An item of an export, or the part of it that is projected. An incremental one has its key
  // instead, the item before and after its changes, empty if there was none, and the time of the
  // last change.
  struct Entry {
    Item item;
    std::optional<Item> before;
    std::optional<Item> after;
    Timestamp written;
    std::int64_t size_bytes = 0;  // billed: of the whole item
  };
  // How far the items are read: the key of the last one, initially before all.
  struct Position {
    std::string partition;
    std::string sort;
    bool is_at_end = false;
    std::shared_ptr<const ExportFilter> filter = {};  // of the job, once it is needed
  };
  // The next items of about `bytes_max` stored bytes, and moves the position on. Without those that
  // the export's filter leaves out, so there may be none before the end. Views into the arena and
  // the position's filter, which outlive the snapshot. Throws on damaged records, which
  // Engine::look() turns into an error.
  Result<std::vector<Entry>> next_items(const ExportJob& job, std::size_t bytes_max,
                                        Position& position, Arena& arena) const;

 private:
  const Snapshot& snapshot_;
};

// Stores the end of an export, and drops its items; no-op if it is not in progress any more. Waits
// for the commit; returns whether there was one.
bool end_export(Engine& engine, const ExportJob& job, const ExportEnd& end);

}  // namespace stator

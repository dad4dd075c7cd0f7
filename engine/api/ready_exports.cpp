#include "engine/api/ready_exports.h"

#include <algorithm>
#include <utility>

#include "engine/api/engine.h"
#include "engine/indexes/backfill.h"
#include "engine/maintenance/chores/chore.h"
#include "engine/operations/exports/export_filter.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"

namespace stator {
namespace {

using Entry = ReadyExports::Entry;

Entry entry_of(const ExportJob& job, std::string_view record, Arena& arena) {
  const storage::EncodedItem encoded(record);
  Entry entry{.item = encoded.decode(arena), .before = {}, .after = {}, .written = {}};
  entry.size_bytes = static_cast<std::int64_t>(encoded.size_bytes());
  if (!job.request.window) return entry;
  const Item stored = entry.item;
  const auto image = [&](std::string_view name) -> std::optional<Item> {
    const Value* found = find_attribute(stored, name);
    if (found == nullptr) return std::nullopt;
    return storage::EncodedItem(found->bytes()).decode(arena);
  };
  entry.before = image(kOldImage);
  entry.after = image(kNewImage);
  entry.written = encoded.written().time;
  const Value* keys = find_attribute(stored, kExportKeys);
  entry.item = keys == nullptr ? Item() : keys->members();
  return entry;
}

// Whether the export has the entry. A changed item is in it if it was or is one that the filter
// wants, so a reader learns of items that no longer match.
bool is_wanted(const ExportFilter& filter, const ExportJob& job, const Entry& entry) {
  if (!job.request.window) return filter.matches(entry.item);
  return (entry.after && filter.matches(*entry.after)) ||
         (entry.before && filter.matches(*entry.before));
}

void project(const ExportFilter& filter, const ExportJob& job, Entry& entry, Arena& arena) {
  if (!job.request.window) entry.item = filter.projected(entry.item, arena);
  if (entry.before) entry.before = filter.projected(*entry.before, arena);
  if (entry.after) entry.after = filter.projected(*entry.after, arena);
}

}  // namespace

Timestamp ReadyExports::now() const { return snapshot_.now(); }

Result<std::optional<ExportJob>> ReadyExports::next_ready(
    const std::vector<storage::SpaceId>& skips) const {
  STATOR_TRY(auto jobs, storage::Exports::all_in_progress(snapshot_.transaction()));
  for (ExportJob& job : jobs) {
    const bool is_skipped = std::find(skips.begin(), skips.end(), job.space) != skips.end();
    if (job.is_ready() && !is_skipped) return std::optional(std::move(job));
  }
  return std::optional<ExportJob>();
}

Result<bool> ReadyExports::is_ready(const ExportJob& job) const {
  STATOR_TRY(const auto found,
             storage::Exports::find_in_progress(snapshot_.transaction(), job.space));
  return found && found->is_ready();
}

Result<std::vector<ReadyExports::Entry>> ReadyExports::next_items(const ExportJob& job,
                                                                  std::size_t bytes_max,
                                                                  Position& position,
                                                                  Arena& arena) const {
  if (job.request.filter && !position.filter) {
    STATOR_TRY(position.filter, ExportFilter::read(*job.request.filter, job.table));
  }
  const ExportFilter* const filter = position.filter.get();
  std::vector<Entry> entries;
  storage::RecordCursor cursor(snapshot_.transaction(), job.space);
  if (position.partition.empty()) {
    STATOR_CHECK(cursor.seek_first());
  } else {
    STATOR_CHECK(cursor.seek_after({job.space, position.partition, position.sort}));
  }
  std::size_t bytes = 0;
  PrimaryKey last;
  for (auto stored = cursor.record(); stored && bytes < bytes_max; stored = cursor.record()) {
    bytes += stored->size();
    Entry entry = entry_of(job, arena.copy(*stored), arena);
    last = key_of_stored(job.table, entry.item);
    STATOR_CHECK(cursor.next());
    if (filter != nullptr) {
      if (!filter->has_key(last) || !is_wanted(*filter, job, entry)) continue;
      project(*filter, job, entry, arena);
    }
    entries.push_back(entry);
  }
  position.is_at_end = !cursor.record();
  if (bytes > 0) {
    position.partition = last.partition;
    position.sort = last.sort;
  }
  return entries;
}

bool end_export(Engine& engine, const ExportJob& job, const ExportEnd& end) {
  return engine.commit_piece([&](ChorePiece& piece) -> Result<void> {
    STATOR_TRY(auto found, storage::Exports::find_in_progress(piece.transaction, job.space));
    if (!found) return {};
    found->status = end.failure_code.empty() ? ExportStatus::Completed : ExportStatus::Failed;
    found->ended = piece.now;
    found->item_count = end.item_count;
    found->size_bytes = end.size_bytes;
    found->failure_code = end.failure_code;
    found->failure_message = end.failure_message;
    piece.mutation.put_export(*std::move(found));
    return piece.apply();
  });
}

}  // namespace stator

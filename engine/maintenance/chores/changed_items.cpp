#include "engine/maintenance/chores/changed_items.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"
#include "engine/storage/stores/journal.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

using Key = std::pair<std::string_view, std::string_view>;
using Record = std::optional<std::string_view>;

// The changes of one item that this piece has read; views into the arena.
struct Changes {
  Record first_before;
  Record last_after;
  storage::Stamp last_written;
};

// Encoded, because an item may be nested as deeply as a record allows.
std::optional<Value> image_of(const Record& record) {
  return record ? std::optional(Value::binary(*record)) : std::nullopt;
}

// Merges the changes of an item that this piece has read with those of earlier pieces.
Result<void> put_changes(const Key& key, const Changes& changes, const ExportJob& job,
                         ChorePiece& piece) {
  const storage::StoreKey at{job.space, key.first, key.second};
  STATOR_TRY(const auto found, storage::find_record(piece.transaction, at));
  const auto before =
      found ? storage::EncodedItem(piece.arena.copy(*found)).find(kOldImage, piece.arena)
            : image_of(changes.first_before);
  const auto after = image_of(changes.last_after);
  std::vector<Member> keys{
      {job.table.partition_key.name, Value::scalar(job.table.partition_key.type, key.first)}};
  if (job.table.sort_key)
    keys.push_back({job.table.sort_key->name, Value::scalar(job.table.sort_key->type, key.second)});
  std::sort(keys.begin(), keys.end(),
            [](const Member& a, const Member& b) { return a.name < b.name; });
  std::vector<Member> images{{kExportKeys, Value::map(keys)}};  // in the order of their names
  if (after) images.push_back({kNewImage, *after});
  if (before) images.push_back({kOldImage, *before});
  std::string record;
  storage::encode_item(images, item_size_bytes(images), changes.last_written, record);
  piece.mutation.put_record(at, piece.arena.copy(record));
  return {};
}

}  // namespace

Result<bool> gather_changed_items(ItemCopy& copy, const ExportJob& job, ChorePiece& piece) {
  std::map<Key, Changes> changed;
  std::uint64_t next = copy.undone_from.value_or(copy.first_change);
  std::size_t bytes = 0;
  bool is_done = false;
  for (std::size_t count = 0; count < piece.limits.records_max && bytes < piece.limits.bytes_max;
       ++count) {
    STATOR_TRY(const auto met, storage::find_in_journal(piece.transaction, copy.source, next));
    is_done = !met;
    if (is_done) break;
    STATOR_TRY(const auto entry, storage::decode_journal_entry(met->bytes));
    is_done = entry.written.time >= job.request.window->to;
    if (is_done) break;
    bytes += met->bytes.size();
    next = met->number + 1;
    const auto own = [&](const Record& record) {
      return record ? Record(piece.arena.copy(*record)) : Record();
    };
    const Key key{piece.arena.copy(entry.partition), piece.arena.copy(entry.sort)};
    const auto [at, is_new] = changed.try_emplace(key);
    if (is_new) at->second.first_before = own(entry.before);
    at->second.last_after = own(entry.after);
    at->second.last_written = entry.written;
  }
  copy.undone_from = next;
  for (const auto& [key, changes] : changed) STATOR_CHECK(put_changes(key, changes, job, piece));
  return is_done;
}

}  // namespace stator

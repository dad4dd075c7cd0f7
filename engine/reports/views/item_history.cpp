#include "engine/reports/views/item_history.h"

#include <algorithm>
#include <utility>

#include "engine/catalog/consumers.h"
#include "engine/items/item_keys.h"
#include "engine/state/snapshot.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

std::string_view name_of(storage::Origin origin) {
  switch (origin) {
    case storage::Origin::User:
      return "client";
    case storage::Origin::TimeToLive:
      return "ttl";
    case storage::Origin::Replication:
      return "replica";
  }
  return {};
}

std::string_view kind_of_consumer(std::string_view name) {
  if (stream_of(name)) return "stream";
  if (name == kHistoryConsumer) return "recovery";
  if (late_index_of(name)) return "index";
  if (kept_period_of(name)) return "console";
  return kinesis_destination_of(name) ? "kinesis" : "copy";
}

std::optional<std::string> image_text(const std::optional<std::string_view>& record) {
  if (!record) return std::nullopt;
  std::string json;
  storage::EncodedItem(*record).append_json(json);
  return json;
}

Result<void> find_keepers(const Snapshot& snapshot, const Table& table, ItemHistory& history) {
  STATOR_TRY(const auto consumers, storage::consumers_of(snapshot.transaction(), table.space));
  for (const storage::Consumer& consumer : consumers) {
    const std::string_view kind = kind_of_consumer(consumer.name);
    auto& kinds = history.kept_by;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  STATOR_TRY(const auto first,
             storage::find_in_journal(snapshot.transaction(), table.space, /*position=*/0));
  if (!first) return {};
  STATOR_TRY(const auto entry, storage::decode_journal_entry(first->bytes));
  history.from = entry.written.time;
  return {};
}

}  // namespace

Result<ItemHistory> item_history(const Snapshot& snapshot, const Table& table, Item key_attributes,
                                 std::uint64_t from_number, std::size_t entries_max,
                                 StopCondition& stop_condition) {
  STATOR_TRY(const PrimaryKey key, key_of_lookup(table, key_attributes));
  ItemHistory history;
  STATOR_CHECK(find_keepers(snapshot, table, history));
  storage::JournalCursor journal(snapshot.transaction(), table.space);
  STATOR_CHECK(journal.seek(from_number));
  std::size_t bytes = 0;
  for (std::size_t count = 0; journal.entry(); ++count) {
    const storage::NumberedEntry& met = *journal.entry();
    if (count == kHistoryEntriesMax || bytes >= kHistoryBytesMax ||
        history.entries.size() == entries_max) {
      history.next = met.number;
      return history;
    }
    if (stop_condition.should_stop()) {
      history.is_stopped = true;
      return history;
    }
    STATOR_TRY(const auto entry, storage::decode_journal_entry(met.bytes));
    if (entry.partition == key.partition && entry.sort == key.sort) {
      bytes += met.bytes.size();
      history.entries.push_back({met.number, entry.written.time, name_of(entry.written.origin),
                                 image_text(entry.before), image_text(entry.after)});
    }
    STATOR_CHECK(journal.next());
  }
  return history;
}

}  // namespace stator

#include "engine/reports/views/mark_walk.h"

#include <utility>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/reports/views/long_sort_keys.h"
#include "engine/state/snapshot.h"
#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/key_codec.h"
#include "engine/storage/keys/undo_record.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/table_codec.h"

namespace stator {

using storage::Database;

namespace {

// The space at the beginning of a key.
std::uint32_t space_in_key(std::string_view key) {
  return key.size() < storage::kSpaceBytes ? 0 : storage::load_be<std::uint32_t>(key.data());
}

bool is_changed(const std::optional<std::string_view>& was,
                const std::optional<std::string_view>& is) {
  if (was && is) return !storage::is_same_item(*was, *is);
  return was || is;
}

std::optional<std::string_view> view_of(const std::optional<std::string>& record) {
  return record ? std::optional<std::string_view>(*record) : std::nullopt;
}

}  // namespace

Result<void> MarkWalk::tables(const VisitTable& visit) {
  const auto visit_one = [&](const storage::RememberedRecord& record) -> Result<bool> {
    if (record.key.empty()) return true;
    const Table* const table = shown_table(space_in_key(record.key));
    const auto before = record.before ? decode_table(*record.before) : std::nullopt;
    if (table == nullptr && !before) return true;
    const auto label = meant_label(table == nullptr ? *before : *table);
    if (!label) return true;
    if (table != nullptr && before) {
      STATOR_TRY(const auto now, snapshot_.transaction().find(Database::Tables, record.key));
      if (now && *now == *record.before) return true;
    }
    const auto kind = !before            ? TableChangeKind::Created
                      : table == nullptr ? TableChangeKind::Removed
                                         : TableChangeKind::Changed;
    return visit(*label, kind);
  };
  return walk(Database::Tables, {}, visit_one);
}

// Items of long sort keys, which are in another database, come last.
Result<std::string> MarkWalk::items(const std::string& after,
                                    const std::function<void(const ChangedItem&)>& visit,
                                    const std::function<bool()>& goes_on) {
  const bool is_in_nodes = after.size() > storage::kUndoMarkBytes &&
                           after[storage::kUndoMarkBytes] == static_cast<char>(Database::Nodes);
  std::string next;
  const auto ends_after = [&](const storage::RememberedRecord& record) {
    if (goes_on()) return false;
    next = record.place;
    return true;
  };
  const auto visit_short = [&](const storage::RememberedRecord& record) -> Result<bool> {
    STATOR_CHECK(visit_item(record, visit));
    return !ends_after(record);
  };
  const auto visit_long = [&](const storage::RememberedRecord& record) -> Result<bool> {
    STATOR_CHECK(visit_long_item(record, visit));
    return !ends_after(record);
  };
  if (!is_in_nodes) STATOR_CHECK(walk(Database::Items, after, visit_short));
  if (is_stopped_ || !next.empty()) return next;
  STATOR_CHECK(walk(Database::Nodes, is_in_nodes ? after : std::string(), visit_long));
  return next;
}

// Visits each record once, with its value at the first of the marks, until `visit` returns false.
// The key of a record that was visited before is empty.
Result<void> MarkWalk::walk(Database database, const std::string& after, const VisitRecord& visit) {
  const std::uint32_t begin =
      after.size() < storage::kUndoMarkBytes ? 0 : storage::load_be<std::uint32_t>(after.data());
  for (std::size_t i = 0; i < scope_.marks.size(); ++i) {
    const std::uint32_t mark = scope_.marks[i];
    if (mark < begin) continue;
    std::string place = mark == begin ? after : std::string();
    for (;;) {
      if (stop_condition_.should_stop()) {
        is_stopped_ = true;
        return {};
      }
      STATOR_TRY(auto record,
                 storage::next_remembered(snapshot_.transaction(), mark, database, place));
      if (!record) break;
      STATOR_TRY(const bool is_later, is_of_earlier_mark(database, record->key, i));
      place = record->place;
      if (is_later) record->key.clear();
      STATOR_TRY(const bool goes_on, visit(*record));
      if (!goes_on) return {};
    }
  }
  return {};
}

// Whether a mark before the one at `place` has an older value of the record.
Result<bool> MarkWalk::is_of_earlier_mark(Database database, std::string_view key,
                                          std::size_t place) const {
  for (const std::uint32_t mark : scope_.marks.first(place)) {
    STATOR_TRY(const bool has_one,
               storage::is_remembered_by(snapshot_.transaction(), mark, database, key));
    if (has_one) return true;
  }
  return false;
}

const Table* MarkWalk::shown_table(std::uint32_t space) const {
  const storage::SpaceId id{space};
  const Table* const table = snapshot_.catalog().find(id);
  const bool is_shown =
      table != nullptr && table->space == id && table->status(snapshot_.now()) != TableStatus::Gone;
  return is_shown ? table : nullptr;
}

std::optional<TableLabel> MarkWalk::meant_label(const Table& table) const {
  auto label = label_of(table.scope, table.region, table.name, scope_.isolation);
  return label && scope_.is_meant(*label) ? std::move(label) : std::nullopt;
}

Result<void> MarkWalk::visit_item(const storage::RememberedRecord& record,
                                  const std::function<void(const ChangedItem&)>& visit) const {
  if (record.key.empty() || storage::is_pointer_key(record.key)) return {};
  const Table* const table = shown_table(space_in_key(record.key));
  const auto label = table == nullptr ? std::nullopt : meant_label(*table);
  if (!label) return {};
  STATOR_TRY(const auto now, snapshot_.transaction().find(Database::Items, record.key));
  const auto before = view_of(record.before);
  if (is_changed(before, now)) visit({*table, *label, before, now});
  return {};
}

// A node's number does not say whose it is. So the table is the one in which the item's key leads
// to the record. All records of a node are of the same table.
Result<const Table*> MarkWalk::table_of_node(const storage::RememberedRecord& record,
                                             std::string_view item) {
  const auto [known, is_new] =
      tables_of_nodes_.try_emplace(storage::load_be<std::uint64_t>(record.key.data()), nullptr);
  if (!is_new) return known->second;
  std::vector<const Table*> candidates;
  snapshot_.catalog().for_each([&](const Table& table) { candidates.push_back(&table); });
  const auto marks = record.before ? scope_.marks : std::span<const std::uint32_t>();
  for (const Table* const table : candidates) {
    Arena arena;
    const auto key = key_in_table(*table, item, arena);
    if (!key) continue;
    STATOR_TRY(const FoundRecord found, find_record_at_mark(snapshot_.transaction(), marks, *key));
    if (found.key != record.key) continue;
    known->second = shown_table(static_cast<std::uint32_t>(table->space));
    break;
  }
  return known->second;
}

Result<void> MarkWalk::visit_long_item(const storage::RememberedRecord& record,
                                       const std::function<void(const ChangedItem&)>& visit) {
  if (record.key.empty() || storage::is_pointer_key(record.key)) return {};
  const storage::Transaction& transaction = snapshot_.transaction();
  STATOR_TRY(const auto now, transaction.find(Database::Nodes, record.key));
  const auto before = view_of(record.before);
  const auto item = before ? before : now;
  if (!item) return {};
  STATOR_TRY(const Table* const table, table_of_node(record, *item));
  const auto label = table == nullptr ? std::nullopt : meant_label(*table);
  if (!label) return {};
  Arena arena;
  const auto key = key_in_table(*table, *item, arena);
  if (!key) return {};
  // If the node was dropped and made again meanwhile, the item has two records in the log.
  STATOR_TRY(const FoundRecord was, find_record_at_mark(transaction, scope_.marks, *key));
  if (!before && was.record) return {};
  STATOR_TRY(const auto is, storage::find_record(transaction, *key));
  if (is_changed(before, is)) visit({*table, *label, before, is});
  return {};
}

}  // namespace stator

#include "engine/reports/views/mark_changes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/catalog/catalog.h"
#include "engine/catalog/mark_state.h"
#include "engine/reports/reported_key.h"
#include "engine/state/snapshot.h"
#include "engine/storage/bytes/bytes.h"
#include "engine/storage/environment/undo_log.h"
#include "engine/storage/keys/key_codec.h"
#include "engine/storage/keys/undo_record.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/table_codec.h"

namespace stator {
namespace {

using storage::Database;

std::string image_json(std::string_view record) {
  std::string json;
  storage::EncodedItem(record).append_json(json);
  return json;
}

// The space at the beginning of a key.
storage::SpaceId space_in_key(std::string_view key) {
  if (key.size() < storage::kSpaceBytes) return {};
  return storage::SpaceId{storage::load_be<std::uint32_t>(key.data())};
}

class ChangeCollector {
 public:
  // `marks` rise; all are of the mark that was asked for, or later.
  ChangeCollector(const Snapshot& snapshot, const MarkChangesQuery& query,
                  StopCondition& stop_condition, std::span<const std::uint32_t> marks,
                  MarkChanges& changes)
      : snapshot_(snapshot),
        query_(query),
        stop_condition_(stop_condition),
        marks_(marks),
        changes_(changes) {}

  Result<void> collect_tables() {
    const auto add = [&](const storage::RememberedRecord& record) -> Result<bool> {
      STATOR_CHECK(add_table(record));
      return changes_.tables.size() < kTableChangesMax;
    };
    return walk(Database::Tables, {}, add);
  }

  Result<void> collect_items() {
    std::size_t records = 0;
    std::size_t bytes = 0;
    const auto add = [&](const storage::RememberedRecord& record) -> Result<bool> {
      STATOR_TRY(const std::size_t item_bytes, add_item(record));
      bytes += item_bytes;
      const bool goes_on = ++records < kMarkRecordsMax && bytes < kMarkItemBytesMax &&
                           changes_.items.size() < query_.items_max;
      if (!goes_on) changes_.next = record.place;
      return goes_on;
    };
    STATOR_CHECK(walk(Database::Items, query_.after, add));
    for (const std::uint32_t mark : marks_) {
      STATOR_TRY(const auto one,
                 storage::next_remembered(snapshot_.transaction(), mark, Database::Nodes, {}));
      changes_.has_unlisted = changes_.has_unlisted || one.has_value();
    }
    return {};
  }

 private:
  // Visits each record once, with its value at the first of the marks, until `visit` returns false.
  template <class Visit>
  Result<void> walk(Database database, const std::string& after, const Visit& visit) {
    const std::uint32_t begin =
        after.size() < storage::kUndoMarkBytes ? 0 : storage::load_be<std::uint32_t>(after.data());
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if (marks_[i] < begin) continue;
      std::string place = marks_[i] == begin ? after : std::string();
      for (;;) {
        if (stop_condition_.should_stop()) {
          changes_.is_stopped = true;
          return {};
        }
        STATOR_TRY(auto record,
                   storage::next_remembered(snapshot_.transaction(), marks_[i], database, place));
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
  Result<bool> is_of_earlier_mark(Database database, std::string_view key,
                                  std::size_t place) const {
    for (const std::uint32_t mark : marks_.first(place)) {
      STATOR_TRY(const bool has_one,
                 storage::is_remembered_by(snapshot_.transaction(), mark, database, key));
      if (has_one) return true;
    }
    return false;
  }

  const Table* shown_table(storage::SpaceId space) const {
    const Table* const table = snapshot_.catalog().find(space);
    const bool is_shown = table != nullptr && table->space == space &&
                          table->status(snapshot_.now()) != TableStatus::Gone;
    return is_shown ? table : nullptr;
  }

  std::optional<TableLabel> meant_label(const Table& table) const {
    auto label = label_of(table.scope, table.region, table.name, query_.isolation);
    return label && query_.is_meant(*label) ? std::move(label) : std::nullopt;
  }

  Result<void> add_table(const storage::RememberedRecord& record) {
    if (record.key.empty()) return {};
    const Table* const table = shown_table(space_in_key(record.key));
    const auto before = record.before ? decode_table(*record.before) : std::nullopt;
    if (table == nullptr && !before) return {};
    const auto label = meant_label(table == nullptr ? *before : *table);
    if (!label) return {};
    if (table != nullptr && before) {
      STATOR_TRY(const auto now, snapshot_.transaction().find(Database::Tables, record.key));
      if (now && *now == *record.before) return {};
    }
    const auto kind = !before            ? MarkChanges::Kind::Created
                      : table == nullptr ? MarkChanges::Kind::Removed
                                         : MarkChanges::Kind::Changed;
    changes_.tables.push_back({*label, kind});
    return {};
  }

  // Returns the bytes of both images.
  Result<std::size_t> add_item(const storage::RememberedRecord& record) {
    if (record.key.empty() || storage::is_pointer_key(record.key)) return std::size_t{0};
    const Table* const table = shown_table(space_in_key(record.key));
    const auto label = table == nullptr ? std::nullopt : meant_label(*table);
    if (!label) return std::size_t{0};
    STATOR_TRY(const auto now, snapshot_.transaction().find(Database::Items, record.key));
    const auto& before = record.before;
    if (!before && !now) return std::size_t{0};
    if (before && now && storage::is_same_item(*before, *now)) return std::size_t{0};
    Arena arena;
    MarkChanges::ItemChange& change = changes_.items.emplace_back();
    change.label = *label;
    change.key_json = item_key_json(*table, now ? *now : std::string_view(*before), arena);
    if (before) change.was_json = image_json(*before);
    if (now) change.is_json = image_json(*now);
    return (before ? before->size() : 0) + (now ? now->size() : 0);
  }

  const Snapshot& snapshot_;
  const MarkChangesQuery& query_;
  StopCondition& stop_condition_;
  const std::span<const std::uint32_t> marks_;
  MarkChanges& changes_;
};

}  // namespace

Result<std::optional<MarkChanges>> mark_changes(const Snapshot& snapshot,
                                                const MarkChangesQuery& query,
                                                StopCondition& stop_condition) {
  STATOR_TRY(const auto marks, storage::all_marks(snapshot.transaction()));
  const auto named = std::find_if(marks.begin(), marks.end(), [&](const storage::Mark& mark) {
    return mark.name == query.mark;
  });
  if (named == marks.end()) return std::optional<MarkChanges>();
  STATOR_TRY(const MarkState state, decode_mark_state(named->state));
  MarkChanges changes;
  changes.made = state.made;
  std::vector<std::uint32_t> numbers;
  for (auto mark = named; mark != marks.end(); ++mark) numbers.push_back(mark->number);
  ChangeCollector collector(snapshot, query, stop_condition, numbers, changes);
  if (query.after.empty()) STATOR_CHECK(collector.collect_tables());
  STATOR_CHECK(collector.collect_items());
  return std::optional(std::move(changes));
}

}  // namespace stator
